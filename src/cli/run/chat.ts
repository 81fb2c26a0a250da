/**
 * A chat in the terminal. Connects to the running server, or starts one in this process for the duration of the chat. Ctrl-C stops the
 * answer, not the program; Ctrl-D or /bye ends the program.
 */
import { homedir } from "node:os";
import { createInterface, type Interface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import type { LocalModels } from "../../app/models/models.js";
import type { Config } from "../../config/config.js";
import type { ChatServer } from "../server/client.js";
import { createServerFetch, findServer, knownKey } from "../server/running-server.js";
import { exactOn, printTo, type TextOut } from "../terminal.js";
import { awaitModel } from "./await-model.js";
import { listChatModels, streamAnswer, type ChatPiece } from "./chat-client.js";
import { requireHearing, requireSize } from "./check-message.js";
import { listMedia, type ChatMessage } from "./messages.js";
import { attachFiles } from "./named-files.js";

/** Reads the models of this machine. */
export type OpenModels = () => Promise<LocalModels>;

/**
 * Answers the prompt, or converses when there is none and the input is a terminal.
 * @param model id or alias; null: the first one @param prompt its words
 */
export async function startChat(
  config: Config,
  open: OpenModels,
  model: string | null,
  prompt: readonly string[],
): Promise<void> {
  const { server, isRunning, close } = await connect(config);
  try {
    const name = model ?? (await listChatModels(server))[0]?.id;
    if (name === undefined)
      throw new Error("the server has no chat model; put a GGUF file into the models folder");
    if (isRunning) await awaitModel(server, name, () => hasModel(open, name));
    await runChat({ server, model: name, bodyBytesMax: config.bodyBytesMax }, prompt);
  } finally {
    await close();
  }
}

async function hasModel(open: OpenModels, name: string): Promise<boolean> {
  return (await open()).models.find(name)?.unusable === null;
}

interface ServerConnection {
  readonly server: ChatServer;
  /** Whether it ran before. */
  readonly isRunning: boolean;
  readonly close: () => Promise<void>;
}

async function connect(config: Config): Promise<ServerConnection> {
  const running = await findServer(config);
  if (running !== null) return { server: running, isRunning: true, close: () => Promise.resolve() };
  const { createApp } = await import("../../app/app.js");
  const app = await createApp({ ...config, port: 0 });
  try {
    const { url } = await app.listen();
    const key = app.firstKey ?? knownKey(config);
    return {
      server: { url, key, ...(await createServerFetch(config)) },
      isRunning: false,
      close: () => app.close(),
    };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

interface Chat {
  readonly server: ChatServer;
  readonly model: string;
  /** The most that a request may have. */
  readonly bodyBytesMax: number;
}

async function runChat(chat: Chat, prompt: readonly string[]): Promise<void> {
  const piped = process.stdin.isTTY ? "" : (await readAll(process.stdin)).trim();
  const content = appendText(await readMessage(prompt), piped);
  if (content === "" && process.stdin.isTTY) return interactive(chat);
  if (content === "") throw new Error("no prompt: pass one as an argument or on standard input");
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort());
  await answer(chat, [{ role: "user", content }], interrupt.signal);
  process.stdout.write("\n");
  if (interrupt.signal.aborted) process.exitCode = 130;
}

/** Reads the files that a message names, and says so on a terminal. */
async function readMessage(words: readonly string[]): Promise<ChatMessage["content"]> {
  const content = await attachFiles(words, { home: homedir(), folder: process.cwd() });
  if (process.stderr.isTTY)
    for (const { type, path } of listMedia([{ role: "user", content }]))
      printTo(process.stderr).write(`Added ${type} '${path}'\n`);
  return content;
}

/** Adds what was piped, in which no path is looked for: other programs write it. */
function appendText(content: ChatMessage["content"], text: string): ChatMessage["content"] {
  if (text === "") return content;
  if (typeof content !== "string") return [...content, { type: "text", text: `\n\n${text}` }];
  return content === "" ? text : `${content}\n\n${text}`;
}

async function interactive(chat: Chat): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: ">>> " });
  let history: readonly ChatMessage[] = [];
  let answering: AbortController | null = null;
  terminal.on("SIGINT", () => {
    if (answering !== null) return answering.abort();
    process.stdout.write("\nUse Ctrl-D or /bye to exit.\n");
    terminal.prompt();
  });
  printTo(process.stdout).write(
    `${chat.model}: type a message; /clear starts a new conversation, /bye exits.\n`,
  );
  for await (const line of lines(terminal)) {
    if (line === "/bye") return terminal.close();
    if (line === "/clear") history = [];
    if (line === "/clear" || line === "") continue;
    answering = new AbortController();
    try {
      const asked: readonly ChatMessage[] = [
        ...history,
        { role: "user", content: await readMessage([line]) },
      ];
      history = [...asked, { role: "assistant", content: await answer(chat, asked, answering.signal) }];
    } catch (thrown) {
      printTo(process.stderr).write(`hearth: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    answering = null;
    process.stdout.write("\n\n");
  }
}

async function* lines(terminal: Interface): AsyncGenerator<string> {
  let isOpen = true;
  terminal.once("close", () => (isOpen = false));
  terminal.prompt();
  for await (const line of terminal) {
    yield line.trim();
    // A prompt after Ctrl-D would read on, and the process would not end.
    if (isOpen) terminal.prompt();
  }
}

/** Prints an answer while it is streamed. @returns its text, which is partial if it was stopped. */
async function answer(chat: Chat, messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> {
  let text = "";
  requireSize(messages, chat.bodyBytesMax);
  await requireHearing(chat.server, chat.model, messages);
  try {
    for await (const delta of streamAnswer(chat.server, chat.model, messages, signal)) {
      if (delta.kind === "text") text += delta.text;
      printDelta(exactOn(process.stdout), delta);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return text;
}

/** Writes a part of an answer: exact where it is not shown, and reasoning dim on a terminal. */
export function printDelta(out: TextOut, { kind, text }: ChatPiece): void {
  if (kind === "text" || out.isTTY !== true) return void out.write(text);
  out.control?.("\u001b[2m");
  out.write(text);
  out.control?.("\u001b[0m");
}
