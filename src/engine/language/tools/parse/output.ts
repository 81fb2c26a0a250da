/** Collects the events of a parser in order. Knows the available tools, and drops white space next to a call, which is layout. */
import type { Tool } from "../../../../core/generation.js";

/**
 * One part of an answer. A call is `call-start`, its argument pieces (together the text of one JSON object), then `call-end`; or
 * `call-broken` instead of the end, when the answer ended inside the call (`cut`) or it is not a valid call. `text` of a broken call is
 * the call as the model wrote it. An argument object is valid JSON, but not yet validated against its schema.
 */
export type ToolEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call-start"; readonly index: number; readonly name: string }
  | { readonly type: "call-delta"; readonly index: number; readonly arguments: string }
  | { readonly type: "call-end"; readonly index: number }
  | { readonly type: "call-broken"; readonly index: number; readonly text: string; readonly cut: boolean };

export class Output {
  /** Limit for the search of a mark after a name, in UTF-16 code units: the longest tool name and some more. */
  readonly nameLengthMax: number;
  /** Whether the parser reads reasoning. */
  isReasoning = false;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #hides: boolean;
  #events: ToolEvent[] = [];
  /** White space that becomes text only if text follows. */
  #space = "";
  #afterCall = false;
  #index = -1;
  #inCall = false;

  /** @param hides whether an invalid call that was marked as one is left out of the text. */
  constructor(tools: readonly Tool[], hides = false) {
    this.#hides = hides;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.nameLengthMax = tools.reduce((most, { name }) => Math.max(most, name.length), 0) + 256;
  }

  /** Returns a tool by name. Where calls are left out, calls of tools that do not exist are left out, too. */
  tool(name: string): Tool | undefined {
    return this.#tools.get(name) ?? (this.#hides ? { name, parameters: {} } : undefined);
  }

  /** Whether a tool has this name, or one that begins so. */
  mayName(text: string): boolean {
    return [...this.#tools.keys()].some((name) => name.startsWith(text));
  }

  /** Whether a text names a tool that exists, or ends in its name. */
  namesTool(text: string): boolean {
    const [, begun = ""] = /(?:^|["[\s])([^"[\s]{3,})$/.exec(text) ?? [];
    return [...this.#tools.keys()].some(
      (name) => text.includes(name) || (begun !== "" && name.startsWith(begun)),
    );
  }

  get isInCall(): boolean {
    return this.#inCall;
  }

  /** Adds text outside calls. */
  addText(text: string): void {
    let endCall = text.length;
    while (endCall > 0 && " \t\r\n".includes(text.charAt(endCall - 1))) endCall -= 1;
    if (endCall > 0) {
      this.#events.push({ type: "text", text: this.#space + text.slice(0, endCall) });
      this.#space = "";
      this.#afterCall = false;
    }
    this.#space += text.slice(endCall);
  }

  addReasoning(text: string): void {
    if (text !== "") this.#events.push({ type: "reasoning", text });
  }

  startCall(name: string): void {
    this.#space = "";
    this.#index += 1;
    this.#inCall = true;
    this.#events.push({ type: "call-start", index: this.#index, name });
  }

  addArguments(text: string): void {
    if (text !== "") this.#events.push({ type: "call-delta", index: this.#index, arguments: text });
  }

  end(): void {
    this.#inCall = false;
    this.#afterCall = true;
    this.#events.push({ type: "call-end", index: this.#index });
  }

  /** Ends an invalid call: as text, or as a broken call when its start was already emitted. */
  failCall(text: string, cut: boolean): void {
    if (this.#inCall) this.#events.push({ type: "call-broken", index: this.#index, text, cut });
    else this.addText(text);
    this.#inCall = false;
  }

  /** The same for a call that begins with a mark. */
  failMarkedCall(text: string, cut: boolean): void {
    if (this.#inCall || !this.#hides) this.failCall(text, cut);
  }

  /** Ends the answer. */
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
