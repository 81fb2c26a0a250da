/** A conversation on a terminal: messages, blocks of lines and commands, until Ctrl-D or /bye. */
import { join } from "node:path";
import type { Config } from "../../config/config.js";
import { userStateFolder } from "../../config/default-folders.js";
import { printable, printTo, type TextOut } from "../terminal.js";
import { isCommand, runChatCommand, unknownCommand } from "./commands.js";
import { openHistory, type ChatHistory } from "./screen/history.js";
import { LineReader } from "./screen/line-reader.js";
import { listMedia } from "./messages/messages.js";
import { attachFiles } from "./messages/named-files.js";
import { readMessage } from "./messages/read-message.js";
import type { RunIo, RunOptions } from "./run-options.js";
import type { ChatSession } from "./session.js";
import { TextBlock, type TypedText } from "./screen/text-block.js";
import { WordWrap } from "./screen/wrap.js";

interface Conversation {
  readonly config: Config;
  readonly io: RunIo;
  readonly options: RunOptions;
}

const leaveHint = "Use Ctrl-D or /bye to leave.";

export async function converse(session: ChatSession, conversation: Conversation): Promise<void> {
  const out = printTo(process.stdout);
  await session.load();
  const reader = new LineReader({
    input: process.stdin,
    output: process.stdout,
    out,
    history: openChatHistory(conversation),
    placeholder: "Send a message (/? for help)",
    hasColours: process.stdout.hasColors(),
  });
  // Marks of pastes must not stay on for the shell.
  process.once("exit", () => reader.close());
  try {
    await new Exchange(session, { reader, out, home: conversation.io.home }).run();
  } finally {
    reader.close();
  }
}

function openChatHistory({ config, io, options }: Conversation): ChatHistory | null {
  if (!options.history || config.runHistory === "off") return null;
  return openHistory(join(userStateFolder(io.environment, io.home), "run-history"));
}

interface ExchangeIo {
  readonly reader: LineReader;
  readonly out: TextOut;
  readonly home: string;
}

class Exchange {
  constructor(
    private readonly session: ChatSession,
    private readonly io: ExchangeIo,
  ) {}

  /** Resolves when the person leaves. */
  async run(): Promise<void> {
    const { reader, out } = this.io;
    let block = new TextBlock();
    for (;;) {
      const input = await reader.next(block.isOpen ? "... " : ">>> ");
      if (input.kind === "end") return void out.write("\n");
      if (input.kind === "interrupt") {
        out.write(block.isOpen || input.hadText ? "\n" : `\n${leaveHint}\n`);
        block = new TextBlock();
        continue;
      }
      const typed = block.add(input.text, input.isPasted);
      if (typed === null) continue;
      block = new TextBlock();
      if (await this.handle(typed)) return;
    }
  }

  /** @returns whether the person leaves */
  private async handle({ text, isQuoted }: TypedText): Promise<boolean> {
    if (text === "") return false;
    try {
      if (!isQuoted && text.startsWith("/")) {
        if (isCommand(text)) return await runChatCommand(text, this.session, this.io);
        if (!(await this.namesFile(text))) throw unknownCommand(text);
      }
      await this.send(text);
      this.io.out.write("\n");
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      new WordWrap(printTo(process.stderr)).write(`hearth: ${printable(message)}\n`);
    }
    return false;
  }

  /** Whether the line begins with the path of an image or a sound. */
  private async namesFile(text: string): Promise<boolean> {
    const content = await attachFiles([text], { home: this.io.home, folder: process.cwd() });
    return (
      typeof content !== "string" && listMedia([{ role: "user", content: content.slice(0, 1) }]).length > 0
    );
  }

  private async send(text: string): Promise<void> {
    const { reader, home } = this.io;
    const interrupt = new AbortController();
    reader.onInterrupt = () => interrupt.abort();
    try {
      await this.session.answer(await readMessage([text], home), interrupt.signal);
    } finally {
      reader.onInterrupt = null;
    }
  }
}
