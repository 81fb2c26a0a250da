/** Log probabilities in the lists of the older completions, told piece by piece. Pure. */
import type { SampledLogprob, TokenLogprob } from "../../core/generation.js";
import type { CompletionLogprobs } from "./wire.js";

/** Takes the tokens of one choice in their order, a piece at a time; offsets go on from piece to piece. */
export type LogprobEncoder = (tokens: readonly SampledLogprob[]) => CompletionLogprobs;

/** Starts at the beginning of a text. */
export function createLogprobEncoder(): LogprobEncoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let offset = 0;
  return (tokens) => ({
    tokens: tokens.map(nameOf),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map((token) => topOf(token)),
    text_offset: tokens.map(({ bytes }) => {
      const begins = offset;
      offset += [...decoder.decode(Uint8Array.from(bytes), { stream: true })].length;
      return begins;
    }),
  });
}

/** The likeliest tokens by their texts, and the sampled one where it is not among them. */
function topOf(sampled: SampledLogprob): Record<string, number> {
  const top = new Map<string, number>();
  for (const token of [...sampled.top, sampled]) {
    const name = nameOf(token);
    if (!top.has(name)) top.set(name, token.logprob);
  }
  return Object.fromEntries(top);
}

/** A token's text, or its bytes in OpenAI's writing where they are no whole characters. */
function nameOf({ text, bytes }: TokenLogprob): string {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
    return text;
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}`;
  }
}
