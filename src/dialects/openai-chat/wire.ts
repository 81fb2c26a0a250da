/** The shapes of a chat answer on the wire, streamed and whole. */

export type ChatFinishReason = "stop" | "length";

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly text_tokens: number;
    readonly audio_tokens: number;
    readonly image_tokens: number;
    readonly cached_tokens: number;
  };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
  readonly num_sources_used: number;
  /** 1 USD = 10^10 ticks. */
  readonly cost_in_usd_ticks: number;
}

export interface ChatDelta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
}

export interface ChatChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly logprobs: null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage?: ChatUsage;
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
      readonly refusal: null;
    };
    readonly logprobs: null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage: ChatUsage;
  readonly system_fingerprint: string;
  readonly service_tier: "default";
}
