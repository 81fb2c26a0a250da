/** A server with the built-in models, in this process, whose clock can be set: so that its usage has a history. */
import { join } from "node:path";
import { createApp } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config/config.js";
import { systemClock } from "../../../src/system/clock.js";
import { workerUrls } from "../../../test/kit/worker-urls.js";

export interface PictureServer {
  readonly url: string;
  readonly managementKey: string;
  /** Sets the time of the server; milliseconds since the epoch. */
  setTime(time: number): void;
  close(): Promise<void>;
}

const managementKey = "management-key-of-the-pictures";

/** Starts the server. Its workers run from dist/. @param folder is empty; for its data and its models */
export async function startPictureServer(folder: string): Promise<PictureServer> {
  let shiftMs = 0;
  const { config } = loadConfig({
    HEARTH_PORT: "0",
    HEARTH_DATA: join(folder, "data"),
    HEARTH_MODELS: join(folder, "models"),
    HEARTH_API_KEY: "api-key-of-the-pictures",
    HEARTH_MANAGEMENT_KEY: managementKey,
  });
  const app = await createApp(config, {
    clock: { ...systemClock, now: () => systemClock.now() + shiftMs },
    ...workerUrls,
  });
  const { url } = await app.listen();
  return {
    url,
    managementKey,
    setTime: (time) => (shiftMs = Math.round(time - systemClock.now())),
    close: () => app.close(),
  };
}
