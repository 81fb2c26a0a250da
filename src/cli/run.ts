/**
 * `hearth run [model] [prompt]`: a chat in the terminal. Speaks to the server that is running, or starts one inside this
 * process for as long as the chat lasts. Ctrl-C stops the answer, not the program; Ctrl-D or /bye ends it.
 */
import { createInterface, type Interface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import type { Command } from "commander";
import { createApp } from "../app/app.js";
import type { Config, LoadedConfig } from "../config.js";
import { listModels, streamChat, type ChatServer, type ChatTurn } from "./chat-client.js";
import { findServer, knownKey } from "./server/running-server.js";

/** Adds the command. */
export function addRunCommand(program: Command, load: () => LoadedConfig): void {
  program
    .command("run")
    .description("chat with a model in the terminal")
    .argument("[model]", "model id or alias (default: the first one)")
    .argument("[prompt...]", "ask this and print the answer")
    .action(async (model: string | undefined, prompt: readonly string[]) => {
      const { server, close } = await reach(load().config);
      try {
        const name = model ?? (await listModels(server))[0];
        if (name === undefined)
          throw new Error("the server has no model; put a GGUF file into the models folder");
        await converse({ server, model: name }, prompt.join(" "));
      } finally {
        await close();
      }
    });
}

interface Reached {
  readonly server: ChatServer;
  readonly close: () => Promise<void>;
}

async function reach(config: Config): Promise<Reached> {
  const running = await findServer(config);
  if (running !== null) return { server: running, close: () => Promise.resolve() };
  const app = await createApp({ ...config, port: 0 });
  try {
    const { url: own } = await app.listen();
    return { server: { url: own, key: app.firstKey ?? knownKey(config) }, close: () => app.close() };
  } catch (thrown) {
    await app.close();
    throw thrown;
  }
}

interface Chat {
  readonly server: ChatServer;
  readonly model: string;
}

async function converse(chat: Chat, prompt: string): Promise<void> {
  const piped = process.stdin.isTTY ? "" : await readAll(process.stdin);
  const question = [prompt, piped.trim()].filter((part) => part !== "").join("\n\n");
  if (question === "" && process.stdin.isTTY) return interactive(chat);
  if (question === "") throw new Error("nothing to ask: give a prompt, or write one to standard input");
  const leaving = new AbortController();
  process.once("SIGINT", () => leaving.abort());
  await answer(chat, [{ role: "user", content: question }], leaving.signal);
  process.stdout.write("\n");
  if (leaving.signal.aborted) process.exitCode = 130;
}

async function interactive(chat: Chat): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: ">>> " });
  const history: ChatTurn[] = [];
  let answering: AbortController | null = null;
  terminal.on("SIGINT", () => {
    if (answering !== null) return answering.abort();
    process.stdout.write("\nUse Ctrl-D or /bye to leave.\n");
    terminal.prompt();
  });
  process.stdout.write(`${chat.model}: write a message; /clear forgets the conversation, /bye leaves.\n`);
  for await (const line of lines(terminal)) {
    if (line === "/bye") return terminal.close();
    if (line === "/clear") history.length = 0;
    if (line === "/clear" || line === "") continue;
    history.push({ role: "user", content: line });
    answering = new AbortController();
    try {
      history.push({ role: "assistant", content: await answer(chat, history, answering.signal) });
    } catch (thrown) {
      history.pop();
      process.stderr.write(`hearth: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
    answering = null;
    process.stdout.write("\n\n");
  }
}

async function* lines(terminal: Interface): AsyncGenerator<string> {
  terminal.prompt();
  for await (const line of terminal) {
    yield line.trim();
    terminal.prompt();
  }
}

/** Prints an answer as it comes. @returns its text, or what there was of it when it was stopped. */
async function answer(chat: Chat, messages: readonly ChatTurn[], signal: AbortSignal): Promise<string> {
  const dim = process.stdout.isTTY ? ["\u001b[2m", "\u001b[0m"] : ["", ""];
  let text = "";
  try {
    for await (const piece of streamChat(chat.server, chat.model, messages, signal)) {
      if (piece.kind === "text") text += piece.text;
      process.stdout.write(piece.kind === "text" ? piece.text : `${dim[0]}${piece.text}${dim[1]}`);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return text;
}
