/** Begins a chat: finds the server and the model, then answers the prompt, or converses without one. */
import { text as readAll } from "node:stream/consumers";
import type { Command } from "commander";
import type { Config } from "../../config/config.js";
import { explainFailure, readErrorCode } from "../../system/file-errors.js";
import { readRegularFile } from "../../system/regular-file.js";
import { printTo } from "../terminal.js";
import { awaitModel } from "./await-model.js";
import { listChatModels } from "./chat-client.js";
import { connectToServer, type ServerConnection } from "./connect.js";
import type { ChatMessage } from "./messages/messages.js";
import { readMessage } from "./messages/read-message.js";
import type { RunIo, RunOptions } from "./run-options.js";
import { showWaiting } from "./screen/waiting.js";
import { ChatSession } from "./session.js";
import { parseStatedForm, type StatedForm, type ChatSettings } from "./settings.js";

interface Run {
  readonly config: Config;
  readonly io: RunIo;
  readonly options: RunOptions;
  readonly command: Command;
}

const schemaBytesMax = 4 * 1024 * 1024;

/** @param model id or alias; null: the first one @param words of the prompt */
export async function startChat(run: Run, model: string | null, words: readonly string[]): Promise<void> {
  const { io, options, command } = run;
  const isInteractive = words.length === 0 && process.stdin.isTTY && process.stdout.isTTY;
  const format = await readForm(command, options.format);
  const content = isInteractive ? "" : await readPrompt(words, io.home);
  if (!isInteractive && content === "")
    command.error("error: no prompt: pass one as an argument or on standard input", { exitCode: 2 });
  const stopWaiting = showWaiting(printTo(process.stdout), io.clock);
  const connection = await connectToServer(run.config).finally(stopWaiting);
  try {
    const session = await openSession(run, connection, model, format);
    if (isInteractive) {
      const { converse } = await import("./interactive.js");
      await converse(session, run);
    } else await answerOnce(session, content, options);
    await session.end();
  } finally {
    await connection.close();
  }
}

async function openSession(
  { config, io, options }: Run,
  { server, isRunning }: ServerConnection,
  model: string | null,
  format: StatedForm | null,
): Promise<ChatSession> {
  const name = model ?? (await listChatModels(server))[0]?.id;
  if (name === undefined)
    throw new Error("the server has no chat model; put a GGUF file into the models folder");
  const hasModel = async () => (await io.open()).models.find(name)?.unusable === null;
  if (isRunning) await awaitModel(server, name, hasModel);
  const settings: ChatSettings = {
    system: null,
    think: options.think,
    format,
    parameters: {},
    isVerbose: options.verbose === true,
    wrapsWords: options.nowordwrap !== true,
    showsReasoning: options.hidethinking !== true,
  };
  return new ChatSession({
    server,
    model: name,
    settings,
    bodyBytesMax: config.bodyBytesMax,
    keepAlive: options.keepalive ?? null,
    clock: io.clock,
  });
}

/** Reads the form of answers. A text that is no JSON is the path of a file. */
async function readForm(command: Command, written: string | undefined): Promise<StatedForm | null> {
  if (written === undefined) return null;
  const isPath = written !== "json" && !/^\s*[[{"]/.test(written);
  const refuse = (found: string): never =>
    command.error(`error: --format must be json, the JSON text of a schema, or a file with one${found}`, {
      exitCode: 2,
    });
  const text = isPath
    ? await readRegularFile(written, schemaBytesMax).then(String, (thrown: unknown) => {
        const isMissing = readErrorCode(thrown) === "ENOENT";
        return refuse(
          `; '${written}' ${isMissing ? "does not exist" : `cannot be read: ${explainFailure(thrown)}`}`,
        );
      })
    : written;
  return parseStatedForm(text) ?? refuse("");
}

async function readPrompt(words: readonly string[], home: string): Promise<ChatMessage["content"]> {
  const piped = process.stdin.isTTY ? "" : (await readAll(process.stdin)).trim();
  return appendText(await readMessage(words, home), piped);
}

/** Adds what was piped, in which no path is looked for: other programs write it. */
function appendText(content: ChatMessage["content"], text: string): ChatMessage["content"] {
  if (text === "") return content;
  if (typeof content !== "string") return [...content, { type: "text", text: `\n\n${text}` }];
  return content === "" ? text : `${content}\n\n${text}`;
}

async function answerOnce(
  session: ChatSession,
  content: ChatMessage["content"],
  { keepalive }: RunOptions,
): Promise<void> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => interrupt.abort());
  if (keepalive !== undefined) await session.load();
  if ((await session.answer(content, interrupt.signal)) === "stopped") process.exitCode = 130;
}
