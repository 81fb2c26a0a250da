/** A true llama-server for tests, where the program is there. */
import { it, onTestFinished } from "vitest";
import { spawnLlamaServer, type LlamaServer, type LlamaServerOptions } from "./process.js";
import { llamaServerProgram } from "./program.mjs";

/** What the names of tests say where the program is missing, and what runs them where it is there. */
export const [withoutLlamaServer, itWithLlamaServer] =
  llamaServerProgram() === null
    ? [" (not run: there is no llama-server; `npm run build:llama-server` builds it)", it.runIf(false)]
    : ["", it];

/** Starts the program with a model, and waits until it is ready. It ends with the test. */
export function startLlamaServer(
  model: string,
  options: LlamaServerOptions = {},
  finished: (cleanUp: () => void) => void = onTestFinished,
): Promise<LlamaServer> {
  return spawnLlamaServer(model, options, finished);
}
