/** Refuses inputs by their length, before they are tokenized. */
import type { InputSource } from "../../../core/embeddings/request.js";
import { HearthError } from "../../../core/errors.js";

/** No natural text has more characters per token. A longer one would be tokenized in vain. */
const charactersPerTokenMax = 64;

/** Returns the most characters of which a model may read the tokens. */
export function charactersMax(contextTokens: number): number {
  return contextTokens * charactersPerTokenMax;
}

/** Whether the end of an input that is too long is left out. */
export function truncates(source: InputSource): boolean {
  return source.type === "inputs" && source.truncates === true;
}

/** @throws HearthError `context_length_exceeded` naming the first text that is too long, whatever its tokens */
export function refuseLongInputs(source: InputSource, contextTokens: number): void {
  if (truncates(source)) return;
  for (const [field, input] of textFields(source)) {
    const tokens = Math.ceil(input.length / charactersPerTokenMax);
    if (tokens > contextTokens) throw inputTooLong(field, `at least ${tokens} tokens`, contextTokens);
  }
}

/** The error for an input that does not fit. @param length what it has, such as `600 tokens` */
export function inputTooLong(field: string, length: string, contextTokens: number): HearthError {
  return new HearthError(
    "context_length_exceeded",
    `${field}: has ${length}, but this model reads at most ${contextTokens} tokens, the marks around a text included.`,
    { param: field, code: "context_length_exceeded" },
  );
}

function textFields(source: InputSource): readonly (readonly [string, string])[] {
  if (source.type !== "inputs")
    return [
      ["query", source.query],
      ...source.documents.flatMap((text, index) =>
        typeof text === "string" ? [[`documents.${index}`, text] as const] : [],
      ),
    ];
  return source.inputs.flatMap((input, index) =>
    typeof input === "string" ? [[`input.${index}`, input] as const] : [],
  );
}
