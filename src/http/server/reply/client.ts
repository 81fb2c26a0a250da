import type { Socket } from "node:net";

/** The connection of a client that waits for a response. */
export type Client = ReturnType<typeof watchClient>;

/**
 * Runs work and aborts its signal when the client disconnects.
 * @returns the result of the work, or null if the work fails after the client has disconnected.
 * @throws the error of the work.
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
    if (client.isDisconnected()) return null;
    throw thrown;
  } finally {
    client.unwatch();
  }
}

/**
 * Calls `onLeave` when a connection closes, immediately if it has already closed. Watches the socket and not the response, because
 * a response that is queued behind another one on the same connection emits no event.
 */
export function watchClient(socket: Socket, onLeave: () => void) {
  let leave = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    leave = () => {
      resolve();
      onLeave();
    };
  });
  if (socket.destroyed) leave();
  else socket.once("close", leave);
  return {
    isDisconnected: (): boolean => socket.destroyed,
    /** Resolves when the connection closes; otherwise it stays pending. */
    closed,
    /** Stops watching: the response is complete, and the connection can serve other requests. */
    unwatch: (): void => void socket.off("close", leave),
  };
}
