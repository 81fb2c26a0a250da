import type { Socket } from "node:net";

/** The one who waits for an answer, seen from the answer's side. */
export interface Client {
  isGone(): boolean;
  /** Resolves when the connection is gone; pending for ever otherwise. */
  readonly left: Promise<void>;
  /** The answer is complete: the connection may go on to other requests. */
  unwatch(): void;
}

/**
 * Watches a connection for its end; `onLeave` runs at once when it has ended already. The socket is watched and not the
 * response, because a response that is queued behind another one on the same connection is never told.
 */
export function watchClient(socket: Socket, onLeave: () => void): Client {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => {
    leave = () => {
      resolve();
      onLeave();
    };
  });
  if (socket.destroyed) leave();
  else socket.once("close", leave);
  return { isGone: () => socket.destroyed, left, unwatch: () => void socket.off("close", leave) };
}
