/** A server whose models folder holds a small painter, and what its tests ask of it. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../src/core/clock.js";
import { systemClock } from "../../../src/system.js";
import { writePricedPainter } from "../../drawing-models.js";
import { startApp, temporaryFolder, testKey, type TestApp } from "../../harness.js";
import type { ScriptedPainter } from "../../scripted-painter.js";

export const painterModel = "tiny-painter";
/** Of one image, in ticks. */
export const price = 700;

export interface DrawingServer extends TestApp {
  readonly data: string;
  /** Moves the server's time on. */
  readonly clock: { ms: number };
}

/** @param painter draws in place of the engine. */
export async function drawingServer({
  environment = {},
  painter,
}: { environment?: NodeJS.ProcessEnv; painter?: ScriptedPainter } = {}): Promise<DrawingServer> {
  const data = join(temporaryFolder(), "data");
  const models = await writePricedPainter(join(temporaryFolder(), "models"), painterModel, price);
  const clock = { ms: 0 };
  const shifted: Clock = { ...systemClock, now: () => systemClock.now() + clock.ms };
  const app = await startApp(
    { HEARTH_DATA: data, HEARTH_MODELS: models, HEARTH_SHUTDOWN_GRACE_MS: "0", ...environment },
    { clock: shifted, ...(painter === undefined ? {} : { painter }) },
  );
  return { ...app, data, clock };
}

export const headers = { authorization: `Bearer ${testKey}`, "content-type": "application/json" };

/** Asks for a drawing. */
export function askDrawing({ url }: TestApp, body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/v1/images/generations`, {
    ...{ method: "POST", headers, ...init },
    body: JSON.stringify({ model: painterModel, prompt: "red", ...body }),
  });
}

export async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { message: string } }).error.message;
}

/** Names of the images on the disk. */
export function filesOf({ data }: Pick<DrawingServer, "data">): Promise<readonly string[]> {
  return readdir(join(data, "images")).catch(() => []);
}
