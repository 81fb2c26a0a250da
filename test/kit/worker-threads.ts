/** The worker threads of servers in tests. Those that keep no state serve all servers of a process: starting them takes a second. */
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import type { Schemas } from "../../src/core/schemas.js";
import type { HostedTokenizer } from "../../src/core/tokenizer.js";
import { createSchemas } from "../../src/engine/language/schemas/schemas.js";
import { createHostedTokenizer } from "../../src/engine/language/tokenize/tokenize.js";
import { systemClock } from "../../src/system/clock.js";
import { workerUrls } from "./worker-urls.js";

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
