import type { AnswerEvent } from "../../core/tools/server-call.js";
import type { ContentMessage, ContentPart } from "./messages.js";

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

interface Choice {
  reasoning: string;
  text: string;
  readonly calls: Map<number, Call>;
}

/** Collects what a run writes, from its events, up to a number of characters. */
export class AnswerContent {
  readonly #choices = new Map<number, Choice>();
  #charsLeft: number;

  constructor(charsMax: number) {
    this.#charsLeft = charsMax;
  }

  add(event: AnswerEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#choice(event.choice).text += this.#within(event.text);
        return;
      case "reasoning-delta":
        this.#choice(event.choice).reasoning += this.#within(event.text);
        return;
      case "tool-call-start": {
        const { id, name } = event;
        this.#choice(event.choice).calls.set(event.index, { id, name, arguments: "" });
        return;
      }
      case "tool-call-delta": {
        const call = this.#choice(event.choice).calls.get(event.index);
        if (call !== undefined) call.arguments += this.#within(event.arguments);
        return;
      }
      default:
    }
  }

  /** @param finishReasons of the choices that ended, by their index */
  messages(finishReasons: ReadonlyMap<number, string>): readonly ContentMessage[] {
    return [...this.#choices]
      .sort(([a], [b]) => a - b)
      .map(([index, choice]) => ({
        role: "assistant",
        parts: listParts(choice),
        finish_reason: finishReasons.get(index),
      }));
  }

  #choice(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice: Choice = { reasoning: "", text: "", calls: new Map() };
    this.#choices.set(index, choice);
    return choice;
  }

  #within(text: string): string {
    const kept = text.slice(0, this.#charsLeft);
    this.#charsLeft -= kept.length;
    return kept;
  }
}

function listParts({ reasoning, text, calls }: Choice): readonly ContentPart[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", content: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text", content: text } as const]),
    ...[...calls.values()].map((call) => ({ type: "tool_call", ...call }) as const),
  ];
}
