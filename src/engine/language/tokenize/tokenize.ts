/**
 * Tokenizes texts for hosted models with tiktoken, for the model names of tiktoken's table only, in a worker thread with a time limit.
 * Models of this server are tokenized by their own engines.
 */
import { createRequire } from "node:module";
import type { Clock } from "../../../core/clock.js";
import { HearthError, modelNotFound } from "../../../core/errors.js";
import type { HostedTokenizer } from "../../../core/tokenizer.js";
import { unpackTokens } from "../packed-tokens.js";
import { WorkerLostError } from "../../worker/client-options.js";
import { WorkerClient } from "../../worker/client.js";
import type { TokenizeReplies, TokenizeRequest } from "./protocol.js";

interface HostedTokenizerDeps {
  readonly clock: Clock;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

/** Time limit of one text, including the loading of its encoding. */
const requestMsMax = 5_000;
const memoryMbMax = 256;
/** Texts that may wait. */
const waitingMax = 32;
/** The encodings take about 100 MB, which are freed when they are not used. */
const idleMsMax = 300_000;

/** The encoding for counting tokens of any text. */
const countEncoding = "o200k_base";

/** Creates the tokenizer; tiktoken's table and the thread are loaded with the first text. */
export function createHostedTokenizer(deps: HostedTokenizerDeps): HostedTokenizer {
  const worker = createWorker(deps);
  let table: ReadonlyMap<string, string> | null = null;
  const findEncoding = (model: string): string | undefined => (table ??= readTable()).get(model);
  return {
    knows: (model) => findEncoding(model) !== undefined,
    async tokenize(model, text, signal) {
      const encoding = findEncoding(model);
      if (encoding === undefined) throw modelNotFound(model);
      const request = { type: "tokenize", encoding, text } as const;
      return unpackTokens(accepted(await worker.call(request, { signal }).catch(refusedIfLost)));
    },
    async count(text, signal) {
      const request = { type: "count", encoding: countEncoding, text } as const;
      return accepted(await worker.call(request, { signal }).catch(refusedIfLost));
    },
    close: () => worker.close(),
  };
}

function createWorker({
  clock,
  workerUrl,
  log,
}: HostedTokenizerDeps): WorkerClient<TokenizeRequest, TokenizeReplies> {
  return new WorkerClient({
    clock,
    name: "tokenize",
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    waiting: {
      max: waitingMax,
      overloadedMessage: "Too many texts are waiting to be read. Please try again later.",
    },
    callMsMax: requestMsMax,
    idleMsMax,
    onAbort: "leave",
    closeMsMax: 0,
    log: (_level, message) => log(message),
  });
}

/** Returns the names of encodings by names of models. */
function readTable(): ReadonlyMap<string, string> {
  const require = createRequire(import.meta.url);
  const table = require("tiktoken/model_to_encoding.json") as Readonly<Record<string, string>>;
  return new Map(Object.entries(table));
}

/** Returns a result. @throws HearthError `invalid_value` when there is none, because the text would take too long. */
function accepted<T>(result: T | null): T {
  if (result === null) throw refusal("its runs of letters, signs or spaces without a break take too long");
  return result;
}

/** Converts the loss of the thread, which the text caused, to the refusal of the text. */
function refusedIfLost(thrown: unknown): never {
  if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
  const limit =
    thrown.reason === "timeout" ? `takes longer than ${requestMsMax} ms` : "takes more memory than available";
  throw refusal(limit);
}

function refusal(limit: string): HearthError {
  const message = `text: ${limit} to tokenize; shorten it, or its runs of letters without a break`;
  return new HearthError("invalid_value", message, { param: "text" });
}
