/** The shapes of a chat answer on the wire, streamed and whole. */
import type { OpenAiUsage } from "../openai-usage.js";

export type ChatFinishReason = "stop" | "length" | "tool_calls" | "function_call";

export interface ChatToolCall {
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
}

export interface ChatTokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

export interface ChatLogprobs {
  readonly content: readonly (ChatTokenLogprob & { readonly top_logprobs: readonly ChatTokenLogprob[] })[];
  readonly refusal: null;
}

export interface ChatDelta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly function_call?: ChatToolCall["function"];
}

export interface ChatChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly logprobs: ChatLogprobs | null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage?: OpenAiUsage;
  readonly system_fingerprint: string;
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: {
      readonly role: "assistant";
      readonly content: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly Omit<ChatToolCall, "index">[];
      readonly function_call?: ChatToolCall["function"];
      readonly refusal: null;
    };
    readonly logprobs: ChatLogprobs | null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage: OpenAiUsage;
  readonly system_fingerprint: string;
  readonly service_tier: "default";
}
