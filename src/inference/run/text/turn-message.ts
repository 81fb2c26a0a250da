import type { GenerationEvent, Message } from "../../../core/generation.js";

/** A call of a turn, as far as it was read. */
export interface TurnCall {
  /** Its index in the answer. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** The message of a turn, put together from its events. */
export class TurnMessage {
  readonly calls: TurnCall[] = [];
  #text: string;
  #reasoning = "";

  constructor(prefill: string) {
    this.#text = prefill;
  }

  add(event: GenerationEvent): void {
    if (event.type === "text-delta") this.#text += event.text;
    else if (event.type === "reasoning-delta") this.#reasoning += event.text;
    else if (event.type === "tool-call-start") {
      const { index, id, name } = event;
      this.calls.push({ index, id, name, arguments: "" });
    } else if (event.type === "tool-call-delta") {
      const call = this.calls.pop();
      if (call !== undefined) this.calls.push({ ...call, arguments: call.arguments + event.arguments });
    }
  }

  message(): Message {
    return {
      role: "assistant",
      content: this.#text,
      reasoning: this.#reasoning || undefined,
      toolCalls: this.calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    };
  }
}
