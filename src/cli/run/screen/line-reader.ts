/** Reads what a person types on a terminal, with the editing of Node's readline. While an answer is printed, what is typed waits unseen. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { TextOut } from "../../terminal.js";
import { historyLinesMax, type ChatHistory } from "./history.js";

/** `isPasted`: more lines of the same paste follow. */
export type TypedInput =
  | { readonly kind: "line"; readonly text: string; readonly isPasted: boolean }
  | { readonly kind: "interrupt"; readonly hadText: boolean }
  | { readonly kind: "end" };

export interface LineReaderOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly out: TextOut;
  /** null: none is kept. */
  readonly history: ChatHistory | null;
  /** What an empty line shows; "" for nothing. */
  readonly placeholder: string;
  /** Whether the terminal shows dim text. */
  readonly hasColours: boolean;
}

/** Programs on a terminal ask by these that a paste comes with marks around it. */
const [pasteMarksOn, pasteMarksOff] = ["\u001b[?2004h", "\u001b[?2004l"];

export class LineReader {
  /** Called for Ctrl-C while an answer is printed; null at other times. */
  onInterrupt: (() => void) | null = null;
  keepsHistory = true;
  private readonly terminal: Interface;
  private readonly echo: Echo;
  private readonly typed: TypedInput[] = [];
  private waiting: ((input: TypedInput) => void) | null = null;
  private isPasting = false;
  private showsPlaceholder = false;

  constructor(private readonly options: LineReaderOptions) {
    const { input, output, out, history } = options;
    this.echo = new Echo(output);
    this.terminal = createInterface({
      input,
      output: this.echo,
      terminal: true,
      history: [...(history?.lines ?? [])],
      historySize: historyLinesMax,
      removeHistoryDuplicates: true,
    });
    // Before readline writes what the key means.
    input.prependListener("keypress", (_: unknown, key: { readonly name?: string } | undefined) =>
      this.onKey(key),
    );
    this.terminal.on("line", (text) => this.onLine(text));
    this.terminal.on("SIGINT", () => this.onSigint());
    this.terminal.on("close", () => this.give({ kind: "end" }));
    out.control?.(pasteMarksOn);
  }

  /** Resolves with the next thing that is typed, or was typed before. */
  next(prompt: string): Promise<TypedInput> {
    this.echo.isMuted = false;
    const early = this.typed.shift();
    if (early !== undefined) {
      if (early.kind === "line") this.options.out.write(`${prompt}${early.text}\n`);
      this.echo.isMuted = true;
      return Promise.resolve(early);
    }
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.terminal.setPrompt(prompt);
      this.terminal.prompt(true);
      this.showPlaceholder(prompt);
    });
  }

  close(): void {
    this.terminal.close();
    this.options.out.control?.(pasteMarksOff);
  }

  private give(input: TypedInput): void {
    const { waiting } = this;
    if (waiting === null) return void this.typed.push(input);
    this.waiting = null;
    this.echo.isMuted = true;
    waiting(input);
  }

  private onLine(text: string): void {
    if (this.keepsHistory) this.options.history?.add(text);
    this.give({ kind: "line", text, isPasted: this.isPasting });
  }

  private onSigint(): void {
    if (this.waiting === null && this.onInterrupt !== null) return this.onInterrupt();
    const hadText = this.terminal.line !== "";
    this.terminal.write(null, { ctrl: true, name: "e" });
    this.terminal.write(null, { ctrl: true, name: "u" });
    this.give({ kind: "interrupt", hadText });
  }

  private onKey(key: { readonly name?: string } | undefined): void {
    if (key?.name === "paste-start") this.isPasting = true;
    if (key?.name === "paste-end") this.isPasting = false;
    if (this.showsPlaceholder) this.options.out.control?.("\u001b[K");
    this.showsPlaceholder = false;
  }

  private showPlaceholder(prompt: string): void {
    const { out, placeholder, hasColours } = this.options;
    const fits = prompt.length + placeholder.length < (out.columns ?? 80);
    if (placeholder === "" || this.terminal.line !== "" || !fits || prompt.startsWith(".")) return;
    const shown = hasColours ? `\u001b[2m${placeholder}\u001b[0m` : placeholder;
    out.control?.(`${shown}\u001b[${placeholder.length}D`);
    this.showsPlaceholder = true;
  }
}

/** What readline writes to: the terminal, or nothing while an answer is printed. */
class Echo extends Writable {
  isMuted = true;

  constructor(private readonly output: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    output.on("resize", () => this.emit("resize"));
  }

  get columns(): number {
    return this.output.columns;
  }

  override _write(chunk: string | Buffer, _: unknown, done: () => void): void {
    if (!this.isMuted) this.output.write(chunk);
    done();
  }
}
