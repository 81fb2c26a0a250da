/** Prints an answer while it is streamed. */
import type { TextOut } from "../../terminal.js";
import type { ChatPiece } from "../chat-client.js";
import { WordWrap } from "./wrap.js";

interface PrintingOptions {
  readonly wrapsWords: boolean;
  readonly showsReasoning: boolean;
  /** Whether the terminal shows dim text. */
  readonly hasColours: boolean;
}

/** On a terminal, reasoning is dim and has a line before and after it; elsewhere only the text of the answer is printed, as it is. */
export class AnswerPrinter {
  private isReasoning = false;
  private readonly wrapped: WordWrap | null;

  constructor(
    private readonly out: TextOut,
    private readonly options: PrintingOptions,
  ) {
    this.wrapped = out.isTTY === true && options.wrapsWords ? new WordWrap(out) : null;
  }

  print({ kind, text }: ChatPiece): void {
    if (kind === "reasoning" && !(this.options.showsReasoning && this.out.isTTY === true)) return;
    if (kind === "reasoning" && !this.isReasoning) this.dim("Thinking...\n");
    if (kind === "text") this.endReasoning();
    this.isReasoning = kind === "reasoning";
    if (kind === "reasoning") this.dim(text);
    else this.write(text);
  }

  /** Call it at the end, also of an answer that was stopped. */
  end(): void {
    this.endReasoning();
  }

  private endReasoning(): void {
    if (this.isReasoning) this.dim("\n...done thinking.\n\n");
    this.isReasoning = false;
  }

  private dim(text: string): void {
    if (!this.options.hasColours) return this.write(text);
    this.out.control?.("\u001b[2m");
    this.write(text);
    this.out.control?.("\u001b[0m");
  }

  private write(text: string): void {
    if (this.wrapped === null) this.out.write(text);
    else this.wrapped.write(text);
  }
}
