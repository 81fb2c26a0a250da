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
 * Does work that is worth nothing once the client is gone; the signal aborts then.
 * @returns what came of it, or null when nobody is there to be told. @throws what the work throws.
 */
export async function whileClientWaits<T>(
  socket: Socket,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const leaving = new AbortController();
  const client = watchClient(socket, () => leaving.abort());
  try {
    return await work(leaving.signal);
  } catch (thrown) {
    if (client.isGone()) return null;
    throw thrown;
  } finally {
    client.unwatch();
  }
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
