/** The shapes of a messages answer on the wire, streamed and whole. */

export type MessageStopReason =
  "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "model_context_window_exceeded";

/** `input_tokens` are those that had to be evaluated; `output_tokens` include thinking. */
export interface MessageUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type ContentBlock = TextBlock | ThinkingBlock | ToolUseBlock;

export interface Message {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stop_reason: MessageStopReason | null;
  readonly stop_sequence: string | null;
  readonly usage: MessageUsage & { readonly service_tier: "standard" };
}

export type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string };

export type MessageEvent =
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "ping" }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: "content_block_stop"; readonly index: number }
  | {
      readonly type: "message_delta";
      readonly delta: {
        readonly stop_reason: MessageStopReason;
        readonly stop_sequence: string | null;
      };
      readonly usage: MessageUsage;
    }
  | { readonly type: "message_stop" };
