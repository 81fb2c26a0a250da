/**
 * The tokens of models that run elsewhere, by tiktoken: for the names of its own table and no others, in a thread of its own
 * with a bound on time. It knows nothing of this server's models, whose tokens are their own engine's to tell.
 */
import { createRequire } from "node:module";
import type { Clock } from "../../core/clock.js";
import { HearthError, modelNotFound } from "../../core/errors.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";
import { unpackTokens } from "../packed-tokens.js";
import { WorkThread, type WorkLost } from "../thread.js";
import type { TokenizeOutcome, TokenizeWork } from "./protocol.js";

export interface HostedTokenizerDeps {
  readonly clock: Clock;
  /** Compiled worker.js; a test that runs from the sources names the compiled one. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

/** Time that one text may take, the reading of its encoding included. */
const workMsMax = 5_000;
const memoryMbMax = 256;
/** Texts that may wait. */
const lineMax = 32;
/** The encodings take about 100 MB, which a server that is asked now and then need not hold. */
const idleMsMax = 300_000;

/** The encoding of texts that are only counted. */
const countedBy = "o200k_base";

/** Builds the tokenizer; neither tiktoken nor a thread is loaded before the first text. */
export function createHostedTokenizer(deps: HostedTokenizerDeps): HostedTokenizer {
  const limits = { workMsMax, memoryMbMax, lineMax, idleMsMax };
  const thread = new WorkThread<TokenizeWork, TokenizeOutcome>({ ...deps, ...limits, subject: "texts" });
  let known: ReadonlyMap<string, string> | null = null;
  const encodingOf = (model: string): string | undefined => (known ??= readTable()).get(model);
  return {
    knows: (model) => encodingOf(model) !== undefined,
    async tokenize(model, text, signal) {
      const encoding = encodingOf(model);
      if (encoding === undefined) throw modelNotFound(model);
      const outcome = await thread.run({ type: "tokenize", encoding, text }, signal);
      if (outcome.type !== "tokenized") throw unanswered(outcome);
      return unpackTokens(outcome.tokens);
    },
    async count(text, signal) {
      const outcome = await thread.run({ type: "count", encoding: countedBy, text }, signal);
      if (outcome.type !== "counted") throw unanswered(outcome);
      return outcome.count;
    },
    close: () => thread.close(),
  };
}

/** Names of encodings by names of models. */
function readTable(): ReadonlyMap<string, string> {
  const require = createRequire(import.meta.url);
  const table = require("tiktoken/model_to_encoding.json") as Readonly<Record<string, string>>;
  return new Map(Object.entries(table));
}

function unanswered(outcome: WorkLost | TokenizeOutcome): Error {
  return outcome.type === "lost" ? tooMuch(outcome) : new Error(`the thread answered with '${outcome.type}'`);
}

function tooMuch({ why }: WorkLost): HearthError {
  const what = why === "time" ? `takes longer than ${workMsMax} ms` : "takes more memory than there is";
  const message = `text: ${what} to tokenize; shorten it, or its runs of letters without a break`;
  return new HearthError("invalid_value", message, { param: "text" });
}
