/** Connects a chat to the running server, or starts one in this process for the duration of the chat. */
import type { Config } from "../../config/config.js";
import type { ChatServer } from "../server/client.js";
import { createServerFetch, findServer, knownKey } from "../server/running-server.js";

export interface ServerConnection {
  readonly server: ChatServer;
  /** Whether it ran before. */
  readonly isRunning: boolean;
  readonly close: () => Promise<void>;
}

export async function connectToServer(config: Config): Promise<ServerConnection> {
  const running = await findServer(config);
  if (running !== null) return { server: running, isRunning: true, close: () => Promise.resolve() };
  const { createApp } = await import("../../app/app.js");
  const app = await createApp({ ...config, port: 0 });
  try {
    const { url } = await app.listen();
    const key = app.firstKey ?? knownKey(config);
    return {
      server: { url, key, ...(await createServerFetch(config)) },
      isRunning: false,
      close: () => app.close(),
    };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}
