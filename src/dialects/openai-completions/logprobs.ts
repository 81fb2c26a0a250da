/** Encodes log probabilities as the parallel lists of the completions endpoint, chunk by chunk. Pure. */
import type { SampledLogprob, TokenLogprob } from "../../core/generation.js";
import type { CompletionLogprobs } from "./response-schema.js";

/** Encodes the next tokens of one choice. Offsets continue from one call to the next. */
export type LogprobEncoder = (tokens: readonly SampledLogprob[]) => CompletionLogprobs;

/** Creates an encoder that starts at offset 0. */
export function createLogprobEncoder(): LogprobEncoder {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let offset = 0;
  return (tokens) => ({
    tokens: tokens.map(nameOf),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map((token) => topOf(token)),
    text_offset: tokens.map(({ bytes }) => {
      const start = offset;
      offset += [...decoder.decode(Uint8Array.from(bytes), { stream: true })].length;
      return start;
    }),
  });
}

/** Maps the most likely tokens, and the sampled token if it is not among them, to their log probabilities. */
function topOf(sampled: SampledLogprob): Record<string, number> {
  const top = new Map<string, number>();
  for (const token of [...sampled.top, sampled]) {
    const name = nameOf(token);
    if (!top.has(name)) top.set(name, token.logprob);
  }
  return Object.fromEntries(top);
}

/** Returns a token's text, or its bytes in OpenAI's notation if they are not valid UTF-8. */
function nameOf({ text, bytes }: TokenLogprob): string {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
    return text;
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}`;
  }
}
