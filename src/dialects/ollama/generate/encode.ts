/**
 * Encodes generation events as the response of POST /api/generate. One encoder turns events into lines; the JSON response is a fold of
 * the same lines. Pure.
 */
import type { RunEvent } from "../../../core/run-event.js";
import {
  encodeLogprobs,
  endFields,
  lineFields,
  type LineIdentity,
  type OllamaIdentity,
  type EncodedLogprobs,
} from "../answer.js";
import type { OllamaGenerateAnswer } from "./response-schema.js";

/** Returns a line without text, which also keeps a connection alive. */
export function emptyGenerateLine(identity: LineIdentity): OllamaGenerateAnswer {
  return { ...lineFields(identity), response: "", done: false };
}

/** Returns the answer to a request without a prompt, which only loads or unloads the model. */
export function encodeGenerateLoaded(
  identity: OllamaIdentity,
  done_reason: "load" | "unload",
): OllamaGenerateAnswer {
  return { ...emptyGenerateLine(identity), done: true, done_reason };
}

/** Returns the lines of an event: none or one. */
export function encodeOllamaGenerate(
  identity: OllamaIdentity,
  event: RunEvent,
): readonly OllamaGenerateAnswer[] {
  const line = emptyGenerateLine(identity);
  switch (event.type) {
    case "reasoning-delta":
      return event.text === "" ? [] : [{ ...line, thinking: event.text }];
    case "text-delta":
      if (event.text === "" && event.logprobs === undefined) return [];
      return [{ ...line, response: event.text, logprobs: encodeLogprobs(event) }];
    case "generation-end":
      return [{ ...line, ...endFields(event.finishReason, event.usage, identity) }];
    // Without tools there are no calls.
    case "generation-start":
    case "tool-call-start":
    case "tool-call-delta":
    case "tool-call-end":
    case "server-call-start":
    case "server-call-end":
    case "conversation-compacted":
      return [];
  }
}

/** Folds the events of one answer into the JSON response. */
export function foldOllamaGenerate(identity: OllamaIdentity) {
  const folded = { response: "", thinking: "" };
  const logprobs: EncodedLogprobs[number][] = [];
  let last = emptyGenerateLine(identity);
  return {
    add(event: RunEvent): void {
      for (const line of encodeOllamaGenerate(identity, event)) {
        folded.response += line.response;
        folded.thinking += line.thinking ?? "";
        logprobs.push(...(line.logprobs ?? []));
        last = line;
      }
    },
    /** Complete after `generation-end`. */
    result: (): OllamaGenerateAnswer => ({
      ...last,
      response: folded.response,
      thinking: folded.thinking || undefined,
      logprobs: logprobs.length === 0 ? undefined : logprobs,
    }),
  };
}
