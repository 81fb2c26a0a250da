/**
 * The content blocks of one streamed answer: one after another, each begun, told and ended before the next. White space alone
 * makes no text block, because Anthropic takes none back in a conversation. Pure.
 */
import type { BlockDelta, ContentBlock, MessageEvent } from "./wire.js";

/** Stands where a hosted service signs its thinking; nothing is verified when it comes back. */
const signature = "aGVhcnRo";

export class BlockWriter {
  #index = -1;
  #open: ContentBlock["type"] | null = null;
  /** White space that may still begin a text. */
  #space = "";

  /** A piece of the answer's text. */
  text(text: string): readonly MessageEvent[] {
    if (this.#open === "text") return text === "" ? [] : [this.#delta({ type: "text_delta", text })];
    const whole = this.#space + text;
    if (whole.trim() === "") {
      this.#space = whole;
      return [];
    }
    return [...this.#enter({ type: "text", text: "" }), this.#delta({ type: "text_delta", text: whole })];
  }

  /** A piece of the thinking; with null its text is kept back. */
  thinking(thinking: string | null): readonly MessageEvent[] {
    if (thinking === "") return [];
    const entered =
      this.#open === "thinking" ? [] : this.#enter({ type: "thinking", thinking: "", signature: "" });
    return thinking === null ? entered : [...entered, this.#delta({ type: "thinking_delta", thinking })];
  }

  /** A tool is called. */
  call(id: string, name: string): readonly MessageEvent[] {
    return this.#enter({ type: "tool_use", id, name, input: {} });
  }

  /** A piece of the JSON of its arguments. */
  argument(json: string): readonly MessageEvent[] {
    return json === "" ? [] : [this.#delta({ type: "input_json_delta", partial_json: json })];
  }

  /** Ends the block that is open, if one is. */
  close(): readonly MessageEvent[] {
    const open = this.#open;
    this.#open = null;
    this.#space = "";
    if (open === null) return [];
    const stop: MessageEvent = { type: "content_block_stop", index: this.#index };
    return open === "thinking" ? [this.#delta({ type: "signature_delta", signature }), stop] : [stop];
  }

  #enter(block: ContentBlock): readonly MessageEvent[] {
    const closed = this.close();
    this.#index += 1;
    this.#open = block.type;
    return [...closed, { type: "content_block_start", index: this.#index, content_block: block }];
  }

  #delta(delta: BlockDelta): MessageEvent {
    return { type: "content_block_delta", index: this.#index, delta };
  }
}
