/** The worker threads of servers in tests. Those that keep no state serve all servers of a process: starting them takes a second. */
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import type { Schemas } from "../../src/core/schemas.js";
import type { HostedTokenizer } from "../../src/core/tokenizer.js";
import { createSchemas } from "../../src/engine/schemas/schemas.js";
import { createHostedTokenizer } from "../../src/engine/tokenize/tokenize.js";
import { systemClock } from "../../src/system.js";

/** The compiled worker threads; the sources of the server run from TypeScript here. */
export const workerUrls = {
  workerUrl: new URL("../../dist/engine/llama/worker.js", import.meta.url),
  visionWorkerUrl: new URL("../../dist/engine/vision/worker.js", import.meta.url),
  schemaWorkerUrl: new URL("../../dist/engine/schemas/worker.js", import.meta.url),
  imagesWorkerUrl: new URL("../../dist/engine/images/worker.js", import.meta.url),
  pdfWorkerUrl: new URL("../../dist/engine/pdf/worker.js", import.meta.url),
  reportsWorkerUrl: new URL("../../dist/store/sqlite/reports/worker.js", import.meta.url),
  tokenizerWorkerUrl: new URL("../../dist/engine/tokenize/worker.js", import.meta.url),
  /** A trial of each image and vision model would double the time of tests that use them. */
  onnxTrialUrl: null,
};

let schemas: Schemas | null = null;

/** The converter of JSON Schemas as the server has it; its threads serve all tests of this process. */
export function testSchemas(): Schemas {
  return (schemas ??= createSchemas({
    clock: systemClock,
    closed: true,
    workerUrl: workerUrls.schemaWorkerUrl,
    log: () => undefined,
  }));
}

/** The tokenizer of hosted models as the server has it; its thread, if one was started, ends with the test. */
export function testTokenizer(clock: Clock = systemClock): HostedTokenizer {
  const tokenizer = tokenizerWith(clock);
  onTestFinished(() => tokenizer.close());
  return tokenizer;
}

let tokenizer: HostedTokenizer | null = null;

/** What servers of this process share; none of them ends it. */
export function sharedThreads(): { readonly schemas: Schemas; readonly hostedTokenizer: HostedTokenizer } {
  tokenizer ??= tokenizerWith(systemClock);
  const close = (): Promise<void> => Promise.resolve();
  return { schemas: { ...testSchemas(), close }, hostedTokenizer: { ...tokenizer, close } };
}

function tokenizerWith(clock: Clock): HostedTokenizer {
  return createHostedTokenizer({
    clock,
    workerUrl: workerUrls.tokenizerWorkerUrl,
    log: () => undefined,
  });
}
