/** A connection of the client library. It is loaded only where Redis is configured. */
import { createClient, ErrorReply } from "@redis/client";
import type { Script } from "./scripts.js";

export type RedisClient = ReturnType<typeof createRedisClient>;

interface ClientOptions {
  /** `redis://` or `rediss://`, with user, password and number of the database. */
  readonly url: string;
  readonly connectMsMax: number;
  /** Called when the connection is lost, once or more often. */
  readonly onLost: (thrown: unknown) => void;
}

/** Commands that may wait for an answer. */
const commandsMax = 10_000;

/** Creates a client that connects once: when its connection is lost, another client is needed. */
export function createRedisClient({ url, connectMsMax, onLost }: ClientOptions) {
  const client = createClient({
    url,
    name: "hearth",
    RESP: 2,
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: commandsMax,
    socket: { connectTimeout: connectMsMax, reconnectStrategy: false },
  });
  client.on("error", onLost);
  return {
    /** Connects and signs in. @throws Error that says why it cannot */
    async connect(): Promise<void> {
      await client.connect();
    },
    /** Runs a script. @throws Error when the connection is lost, or Redis refuses it */
    async run({ sha, source }: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
      const call = { keys: [...keys], arguments: [...values] };
      try {
        return await client.evalSha(sha, call);
      } catch (thrown) {
        // A restart and SCRIPT FLUSH make Redis forget its scripts.
        if (!(thrown instanceof ErrorReply && thrown.message.startsWith("NOSCRIPT"))) throw thrown;
        return await client.eval(source, call);
      }
    },
    /** Returns the information of Redis's INFO command: lines `name:value`. */
    info: (): Promise<string> => client.info(),
    /** Closes the connection at once: what was sent and is not answered fails. */
    close(): void {
      if (client.isOpen) client.destroy();
    },
  };
}
