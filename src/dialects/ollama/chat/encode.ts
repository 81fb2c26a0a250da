/**
 * Encodes generation events as the response of POST /api/chat. One encoder turns events into lines; the JSON response is a fold of the
 * same lines. Pure.
 */
import type { z } from "zod";
import { mayRoundNumbers } from "../../../core/json/member-texts.js";
import type { RunEvent } from "../../../core/run-event.js";
import {
  encodeLogprobs,
  endFields,
  lineFields,
  type LineIdentity,
  type OllamaIdentity,
  type EncodedLogprobs,
} from "../answer.js";
import type { OllamaToolCall, ollamaChatAnswer } from "./response-schema.js";

type OllamaChatAnswer = z.infer<typeof ollamaChatAnswer>;

type Part = Omit<OllamaChatAnswer["message"], "role">;

/** Returns a line without text, which also keeps a connection alive. */
export function emptyChatLine(identity: LineIdentity): OllamaChatAnswer {
  return partLine(identity, { content: "" });
}

/** Returns the answer to a request without messages, which only loads or unloads the model. */
export function encodeChatLoaded(identity: OllamaIdentity, done_reason: "load" | "unload"): OllamaChatAnswer {
  return { ...emptyChatLine(identity), done: true, done_reason };
}

/** Encodes one answer. A tool call is one line; one that the end of the answer cuts off is left out. */
export function createOllamaChatEncoder(identity: OllamaIdentity) {
  const texts = new Map<object, string>();
  const calls = new Map<number, { readonly id: string; readonly name: string; text: string }>();
  const lines = (event: RunEvent): readonly OllamaChatAnswer[] => {
    switch (event.type) {
      case "generation-start":
      case "server-call-start":
      case "server-call-end":
      case "conversation-compacted":
        return [];
      case "reasoning-delta":
        return event.text === "" ? [] : [partLine(identity, { content: "", thinking: event.text })];
      case "text-delta":
        if (event.text === "" && event.logprobs === undefined) return [];
        return [{ ...partLine(identity, { content: event.text }), logprobs: encodeLogprobs(event) }];
      case "tool-call-start":
        calls.set(event.index, { id: event.id, name: event.name, text: "" });
        return [];
      case "tool-call-delta": {
        const call = calls.get(event.index);
        if (call !== undefined) call.text += event.arguments;
        return [];
      }
      case "tool-call-end": {
        const { id = "", name = "", text = "" } = calls.get(event.index) ?? {};
        const parsed = parseArguments(text);
        if (mayRoundNumbers(text)) texts.set(parsed, text);
        const called = { index: event.index, name, arguments: parsed };
        return [partLine(identity, { content: "", tool_calls: [{ id, function: called }] })];
      }
      case "generation-end":
        return [{ ...emptyChatLine(identity), ...endFields(event.finishReason, event.usage, identity) }];
    }
  };
  return {
    /** Returns the lines of an event: none or one. */
    lines,
    /** The JSON texts of arguments in lines so far that have numbers which the line's value does not keep. */
    texts,
  };
}

/** Folds the events of one answer into the JSON response. */
export function foldOllamaChat(identity: OllamaIdentity) {
  const encoder = createOllamaChatEncoder(identity);
  const folded = { content: "", thinking: "" };
  const calls: OllamaToolCall[] = [];
  const logprobs: EncodedLogprobs[number][] = [];
  let last = emptyChatLine(identity);
  return {
    texts: encoder.texts,
    add(event: RunEvent): void {
      for (const line of encoder.lines(event)) {
        folded.content += line.message.content;
        folded.thinking += line.message.thinking ?? "";
        calls.push(...(line.message.tool_calls ?? []));
        logprobs.push(...(line.logprobs ?? []));
        last = line;
      }
    },
    /** Complete after `generation-end`. */
    result: (): OllamaChatAnswer => ({
      ...last,
      message: {
        role: "assistant",
        content: folded.content,
        thinking: folded.thinking || undefined,
        tool_calls: calls.length === 0 ? undefined : calls,
      },
      logprobs: logprobs.length === 0 ? undefined : logprobs,
    }),
  };
}

function partLine(identity: LineIdentity, part: Part): OllamaChatAnswer {
  return { ...lineFields(identity), message: { role: "assistant", ...part }, done: false };
}

/** Arguments of a complete call are an object, whatever the model writes; anything else counts as none. */
function parseArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {};
  } catch {
    return {};
  }
}
