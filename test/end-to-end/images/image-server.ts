/** A server with a small image model, and helpers for its tests. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../src/core/clock.js";
import { systemClock } from "../../../src/system/clock.js";
import { writePricedImageModel } from "../../kit/models/image-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestServer, startServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";
import type { ScriptedImageEngine } from "../../kit/scripted/image-engine.js";

export const imageModelId = "tiny-painter";
/** Price of one image, in ticks. */
export const price = 700;

export interface ImageServer extends TestServer {
  readonly data: string;
  /** Advances the server's clock. */
  readonly clock: { ms: number };
}

/** @param imageEngine replaces the image engine. */
export async function startImageServer({
  environment = {},
  imageEngine,
}: { environment?: NodeJS.ProcessEnv; imageEngine?: ScriptedImageEngine } = {}): Promise<ImageServer> {
  const data = join(temporaryFolder(), "data");
  const models = await writePricedImageModel(join(temporaryFolder(), "models"), imageModelId, price);
  const clock = { ms: 0 };
  const shifted: Clock = { ...systemClock, now: () => systemClock.now() + clock.ms };
  const app = await startServer({
    environment: { HEARTH_DATA: data, HEARTH_MODELS: models, HEARTH_SHUTDOWN_GRACE_MS: "0", ...environment },
    clock: shifted,
    imageEngine,
  });
  return { ...app, data, clock };
}

export const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };

/** Requests an image generation. */
export function requestImages({ url }: TestServer, body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/images/generations`, {
    method: "POST",
    headers,
    ...init,
    body: JSON.stringify({ model: imageModelId, prompt: "red", ...body }),
  });
}

export async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { message: string } }).error.message;
}

/** Returns the names of the stored image files. */
export function imageFilesOf({ data }: Pick<ImageServer, "data">): Promise<readonly string[]> {
  return readdir(join(data, "images")).catch(() => []);
}
