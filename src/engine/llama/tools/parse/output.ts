/**
 * What a parser has found, as events in order. Knows the tools there are, and the one rule about white space: where it touches
 * a call it is layout and not text.
 */
import type { Tool } from "../../../../core/generation.js";

/**
 * One part of an answer. A call is `call-start`, its argument pieces (together the text of one JSON object), then `call-end`;
 * or `call-broken` in place of the end, when the answer ended before it (`cut`) or it is no call after all. `text` of a broken
 * call is all of it as the model wrote it, up to where it broke. An argument object is JSON, not yet what its schema asks for.
 */
export type ToolEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call-start"; readonly index: number; readonly name: string }
  | { readonly type: "call-delta"; readonly index: number; readonly arguments: string }
  | { readonly type: "call-end"; readonly index: number }
  | { readonly type: "call-broken"; readonly index: number; readonly text: string; readonly cut: boolean };

export class Output {
  /** No name of a tool is longer, in character units; a marker that does not come by then does not come. */
  readonly nameLengthMax: number;
  readonly #tools: ReadonlyMap<string, Tool>;
  #events: ToolEvent[] = [];
  /** White space that is text only if text follows. */
  #space = "";
  #afterCall = false;
  #index = -1;
  #calling = false;

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.nameLengthMax = tools.reduce((most, { name }) => Math.max(most, name.length), 0) + 256;
  }

  tool(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Text outside calls. */
  say(text: string): void {
    let end = text.length;
    while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end -= 1;
    if (end > 0) {
      this.#events.push({ type: "text", text: this.#space + text.slice(0, end) });
      this.#space = "";
      this.#afterCall = false;
    }
    this.#space += text.slice(end);
  }

  think(text: string): void {
    if (text !== "") this.#events.push({ type: "reasoning", text });
  }

  start(name: string): void {
    this.#space = "";
    this.#index += 1;
    this.#calling = true;
    this.#events.push({ type: "call-start", index: this.#index, name });
  }

  argue(text: string): void {
    if (text !== "") this.#events.push({ type: "call-delta", index: this.#index, arguments: text });
  }

  end(): void {
    this.#calling = false;
    this.#afterCall = true;
    this.#events.push({ type: "call-end", index: this.#index });
  }

  /** What was read of a call is none: text, or a broken call when it was announced already. */
  fail(text: string, cut: boolean): void {
    if (this.#calling) this.#events.push({ type: "call-broken", index: this.#index, text, cut });
    else this.say(text);
    this.#calling = false;
  }

  /** Nothing more comes. */
  finish(): void {
    if (!this.#afterCall && this.#space !== "") this.#events.push({ type: "text", text: this.#space });
    this.#space = "";
  }

  take(): readonly ToolEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
