/** What the answers of Ollama's chat and generate endpoints have in common. Pure. */
import { z } from "zod";
import type { FinishReason, TextDelta, TokenLogprob } from "../../core/generation.js";
import type { Usage } from "../../core/usage.js";
import { countField, responseArray, responseObject } from "../response-fields.js";

const nanoseconds = (what: string) => countField(`${what} In nanoseconds.`);

const tokenLogprob = {
  token: z.string(),
  logprob: z.number(),
  bytes: responseArray(countField("A byte of the token in UTF-8.")),
};

export const logprobsField = responseArray(
  responseObject({
    ...tokenLogprob,
    top_logprobs: responseArray(responseObject(tokenLogprob)).optional(),
  }),
).optional();

export const answerFields = {
  model: z.string().describe("As the request names it."),
  created_at: z.iso.datetime(),
  done: z.boolean().describe("Whether it is the last line."),
  done_reason: z.enum(["stop", "length", "load", "unload"]).optional(),
  logprobs: logprobsField,
  total_duration: nanoseconds("Time since the request was accepted.").optional(),
  load_duration: nanoseconds("Time that the model was waited for.").optional(),
  prompt_eval_count: countField("Tokens of the prompt, cached ones included.").optional(),
  prompt_eval_duration: nanoseconds("Time of the prompt.").optional(),
  eval_count: countField("Tokens of the answer, reasoning included.").optional(),
  eval_duration: nanoseconds("Time of the answer.").optional(),
};

/** The values that every line of one answer repeats. */
export interface LineIdentity {
  /** The model as the request names it. */
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** These values, and the times of an answer. */
export interface OllamaIdentity extends LineIdentity {
  /** Returns what is measured so far. */
  readonly times: () => AnswerTimes;
}

/** Milliseconds; null: not known. */
interface AnswerTimes {
  readonly elapsedMs: number;
  readonly loadMs: number | null;
  readonly prefillMs: number | null;
  readonly decodeMs: number | null;
}

/** Returns the fields that every line has. */
export function lineFields({ model, created }: LineIdentity) {
  return { model, created_at: new Date(created).toISOString() };
}

/** Returns the fields that only the last line has. */
export function endFields(reason: FinishReason, usage: Usage, { times }: OllamaIdentity) {
  const { elapsedMs, loadMs, prefillMs, decodeMs } = times();
  return {
    done: true,
    done_reason: doneReasons[reason],
    total_duration: toNanoseconds(elapsedMs),
    load_duration: toNanoseconds(loadMs),
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: toNanoseconds(prefillMs),
    eval_count: usage.completionTokens + usage.reasoningTokens,
    eval_duration: toNanoseconds(decodeMs),
  };
}

/** Converts milliseconds to whole nanoseconds; what is not known is 0. */
export function toNanoseconds(ms: number | null): number {
  return Math.round((ms ?? 0) * 1e6);
}

export type EncodedLogprobs = NonNullable<z.infer<typeof logprobsField>>;

/** Encodes the log probabilities of a piece of text. */
export function encodeLogprobs({ logprobs }: TextDelta): EncodedLogprobs | undefined {
  const wire = ({ text, bytes, logprob }: TokenLogprob) => ({ token: text, logprob, bytes });
  return logprobs?.map((each) => ({
    ...wire(each),
    top_logprobs: each.top.length === 0 ? undefined : each.top.map(wire),
  }));
}

const doneReasons: Readonly<Record<FinishReason, "stop" | "length">> = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "stop",
  content_filter: "stop",
};
