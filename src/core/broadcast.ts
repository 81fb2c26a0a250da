/**
 * Messages between the servers that share a database. Messages of one server arrive in order, but they are lost while the connection to the
 * database is: nothing may depend on them alone. Where there is one server, nothing is sent.
 */
export interface Broadcast {
  /** Names this server among those that are connected. */
  readonly serverId: string;
  /** Whether there may be other servers. */
  readonly reachesOthers: boolean;
  /** Sends a message to the other servers, and does not wait for it. @param message a value that JSON can write. */
  send(topic: string, message: unknown): void;
  /** Calls `receive` with each message of the other servers on a topic. */
  on(topic: string, receive: (message: unknown) => void): void;
}

/** For a server that shares its database with no other. */
export const noBroadcast: Broadcast = {
  serverId: "only",
  reachesOthers: false,
  send: () => undefined,
  on: () => undefined,
};
