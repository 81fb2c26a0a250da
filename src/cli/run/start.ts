/** Begins a chat: finds the server and the model, then answers the prompt, or converses without one. */
import { text as readAll } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { Config } from "../../config/config.js";
import { explainFailure, readErrorCode } from "../../system/file-errors.js";
import { readRegularFile } from "../../system/regular-file.js";
import { printTo } from "../terminal.js";
import { listChatModels } from "./chat-client.js";
import type { ChatMessage } from "./messages/messages.js";
import { readMessage } from "./messages/read-message.js";
import type { RunIo, RunOptions } from "./run-options.js";
import { showWaiting } from "./screen/waiting.js";
import { ChatSession } from "./session.js";
import { parseStatedForm, type StatedForm, type ChatSettings } from "./settings.js";
import type { ChatServer } from "../server/client.js";
import { createServerFetch, findServer, knownKey } from "../server/running-server.js";

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

interface ServerConnection {
  readonly server: ChatServer;
  /** Whether it ran before. */
  readonly isRunning: boolean;
  readonly close: () => Promise<void>;
}

async function connectToServer(config: Config): Promise<ServerConnection> {
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

/** The server looks at its folders every two seconds, and waits until two looks see the same. */
const waitMsMax = 8000;
const pollMs = 250;

/**
 * Resolves when the server knows the model, or after some seconds.
 * @param isExpected returns whether the models folder of this machine has the model; asked only when the server does not know it
 */
async function awaitModel(
  server: ChatServer,
  name: string,
  isExpected: () => Promise<boolean>,
): Promise<void> {
  if ((await isKnown(server, name)) || !(await isExpected())) return;
  for (let waited = 0; waited < waitMsMax; waited += pollMs) {
    await setTimeout(pollMs);
    if (await isKnown(server, name)) return;
  }
}

/** Only a model that is missing is unknown: what else is wrong is reported by the request for an answer. */
async function isKnown({ url, key, fetch: send = fetch }: ChatServer, name: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await send(`${url}/v1/models/${encodeURIComponent(name)}`, { headers });
  await response.arrayBuffer();
  return response.status !== 404;
}
