/** A chat: its model, its messages, and what it asks for. */
import type { Clock } from "../../core/clock.js";
import { askServer, ServerError, type ChatServer } from "../server/client.js";
import { exactOn, printTo } from "../terminal.js";
import { AnswerPrinter } from "./screen/answer-printer.js";
import { streamAnswer, type ChatUsage, listChatModels } from "./chat-client.js";
import { type ChatMessage, listMedia } from "./messages/messages.js";
import { toRequestFields, type ChatSettings } from "./settings.js";
import { showWaiting } from "./screen/waiting.js";
import { sizeText } from "../../core/report/size-text.js";

/** What is said of what a server does for Ollama's routes alone. */
export const needsOllamaApi = "needs Ollama's routes, which this server does not have (setting ollamaApi)";

export interface SessionOptions {
  readonly server: ChatServer;
  readonly model: string;
  readonly settings: ChatSettings;
  /** The most that a request may have. */
  readonly bodyBytesMax: number;
  /** How long the model stays in memory unused, as Ollama writes it; null: as the server decides. */
  readonly keepAlive: string | null;
  readonly clock: Clock;
}

export class ChatSession {
  readonly server: ChatServer;
  readonly settings: ChatSettings;
  private ownModel: string;
  private messages: readonly ChatMessage[] = [];

  constructor(private readonly options: SessionOptions) {
    this.server = options.server;
    this.settings = options.settings;
    this.ownModel = options.model;
  }

  get model(): string {
    return this.ownModel;
  }

  /** Whether nothing was said yet. */
  get isEmpty(): boolean {
    return this.messages.length === 0;
  }

  /** Forgets the messages; the model and the settings stay. */
  clear(): void {
    this.messages = [];
  }

  /** Changes the model, once it is loaded; the messages stay. @throws Error when the model cannot be loaded */
  async use(model: string): Promise<void> {
    await this.load(model);
    this.ownModel = model;
  }

  /**
   * Loads a model, by default the one of the chat, so that the answer does not wait for it.
   * @returns the milliseconds that it took
   */
  async load(model = this.ownModel): Promise<number> {
    const { clock, keepAlive } = this.options;
    const began = clock.monotonic();
    const stopWaiting = showWaiting(printTo(process.stdout), clock);
    try {
      await this.setMemory(model, keepAlive === "0" ? null : keepAlive);
    } finally {
      stopWaiting();
    }
    return clock.monotonic() - began;
  }

  /** Takes the model out of memory if that was asked for. */
  async end(): Promise<void> {
    if (this.options.keepAlive === "0") await this.setMemory(this.ownModel, "0");
  }

  /**
   * Sends a message and prints the answer. Both become part of the chat, also when the answer is stopped; when it fails, neither.
   * @returns whether it was stopped
   */
  async answer(content: ChatMessage["content"], signal: AbortSignal): Promise<"done" | "stopped"> {
    const asked: readonly ChatMessage[] = [...this.messages, { role: "user", content }];
    requireSize(asked, this.options.bodyBytesMax);
    await requireHearing(this.server, this.ownModel, asked);
    const { text, state } = await this.stream(asked, signal);
    this.messages = [...asked, { role: "assistant", content: text }];
    return state;
  }

  private async stream(asked: readonly ChatMessage[], signal: AbortSignal) {
    const { settings, options } = this;
    const { clock } = options;
    const loadMs = settings.isVerbose ? await this.load() : 0;
    const hasColours = process.stdout.isTTY && process.stdout.hasColors();
    const printer = new AnswerPrinter(exactOn(process.stdout), { ...settings, hasColours });
    const stopWaiting = showWaiting(printTo(process.stdout), clock);
    const system: readonly ChatMessage[] =
      settings.system === null ? [] : [{ role: "system", content: settings.system }];
    const startedAt = clock.monotonic();
    const got: { firstTokenAt: number | null; usage: ChatUsage | null; text: string } = {
      firstTokenAt: null,
      usage: null,
      text: "",
    };
    const onUsage = (usage: ChatUsage): void => void (got.usage = usage);
    const request = {
      model: this.ownModel,
      messages: [...system, ...asked],
      fields: toRequestFields(settings),
      onUsage,
    };
    try {
      for await (const piece of streamAnswer(this.server, request, signal)) {
        if (got.firstTokenAt === null) stopWaiting();
        got.firstTokenAt ??= clock.monotonic();
        if (piece.kind === "text") got.text += piece.text;
        printer.print(piece);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      stopWaiting();
      printer.end();
    }
    process.stdout.write("\n");
    if (settings.isVerbose) {
      const times = {
        startedAt,
        endedAt: clock.monotonic(),
        firstTokenAt: got.firstTokenAt,
        loadMs,
      };
      process.stderr.write(`\n${formatStatistics(times, got.usage)}`);
    }
    return { text: got.text, state: signal.aborted ? ("stopped" as const) : ("done" as const) };
  }

  /**
   * A chat without messages loads a model, or unloads it. Where the server has no such route, the first answer loads it.
   * @throws Error with the server's message if it has no such model, or cannot load it
   */
  private async setMemory(model: string, keepAlive: string | null): Promise<void> {
    const body = {
      model,
      messages: [],
      ...(keepAlive === null ? {} : { keep_alive: toWireTime(keepAlive) }),
    };
    try {
      await askServer(this.server, "/api/chat", { method: "POST", body });
    } catch (thrown) {
      // Where there is no such model, this error names those that are like it.
      await askServer(
        this.server,
        `/v1/language-models/${model.split("/").map(encodeURIComponent).join("/")}`,
      );
      if (!(thrown instanceof ServerError)) throw thrown;
      if (thrown.status !== 404)
        throw new ServerError(thrown.message.replace(/^keep_alive\b/, "--keepalive"), thrown.status);
      if (keepAlive !== null) throw new Error(`--keepalive ${needsOllamaApi}`, { cause: thrown });
    }
  }
}

/** A number is seconds. */
function toWireTime(written: string): string | number {
  return /^-?\d+$/.test(written) ? Number(written) : written;
}

// Checks a conversation before it is sent, so that the error names the file.

/** A model with a projector for sound that `hearth pull` finds. */
const hearingExample = "ggml-org/Voxtral-Mini-3B-2507-GGUF";

/** @throws Error that names the model, the first sound, and what helps, when the model does not read sound. */
async function requireHearing(
  server: ChatServer,
  model: string,
  messages: readonly ChatMessage[],
): Promise<void> {
  const sound = listMedia(messages).find(({ type }) => type === "sound");
  if (sound === undefined) return;
  // A key that may list no models leaves the answer to the server.
  const models = await listChatModels(server).catch(() => []);
  const own = models.find(({ id, aliases }) => id === model || aliases.includes(model));
  // An alias may be a pattern: the server decides then.
  if (own === undefined || own.input_modalities.includes("audio")) return;
  const others = models.filter(({ input_modalities: reads }) => reads.includes("audio")).map(({ id }) => id);
  const help =
    others.length > 0
      ? `these models do: ${others.join(", ")}`
      : `no model here does; \`hearth pull ${hearingExample}\` brings one`;
  throw new Error(`${model} does not read sound, so '${sound.path}' was not sent; ${help}`);
}

/** @throws Error when the request is larger than the server takes. */
function requireSize(messages: readonly ChatMessage[], bodyBytesMax: number): void {
  const media = listMedia(messages);
  const sizes = media.map((part) => (part.type === "image" ? part.url : part.base64).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= bodyBytesMax) return;
  const largest = media[sizes.indexOf(Math.max(...sizes))];
  throw new Error(
    `the files of the conversation have ${sizeText(bytes)} in base64, '${largest?.path ?? ""}' the most; ` +
      `a request may have ${sizeText(bodyBytesMax)} (setting bodyBytesMax)`,
  );
}

/** Milliseconds on a monotonic clock. */
interface MeasuredTimes {
  readonly startedAt: number;
  /** null: no token came. */
  readonly firstTokenAt: number | null;
  readonly endedAt: number;
  /** How long the model was loaded before this answer. */
  readonly loadMs: number;
}

/** Returns the lines. @param usage null for an answer that was stopped */
function formatStatistics(times: MeasuredTimes, usage: ChatUsage | null): string {
  const { startedAt, firstTokenAt, endedAt, loadMs } = times;
  const promptMs = (firstTokenAt ?? endedAt) - startedAt;
  const evalMs = firstTokenAt === null ? 0 : endedAt - firstTokenAt;
  const evaluated = usage === null ? 0 : usage.promptTokens - usage.cachedTokens;
  const cached = usage === null || usage.cachedTokens === 0 ? "" : `, ${usage.cachedTokens} of them cached`;
  const rows: readonly (readonly [string, string])[] = [
    ["total duration", formatMs(loadMs + endedAt - startedAt)],
    ["load duration", formatMs(loadMs)],
    ...(usage === null
      ? []
      : ([
          ["prompt eval count", `${usage.promptTokens} token(s)${cached}`],
          ["prompt eval duration", formatMs(promptMs)],
          ["prompt eval rate", formatRate(evaluated, promptMs)],
          ["eval count", `${usage.answerTokens} token(s)`],
          ["eval duration", formatMs(evalMs)],
          // The first token came with the prompt.
          ["eval rate", formatRate(usage.answerTokens - 1, evalMs)],
        ] as const)),
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(22)}${value}\n`).join("");
}

function formatMs(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(1)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(2)}s`;
  return `${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(1)}s`;
}

function formatRate(tokens: number, ms: number): string {
  return ms <= 0 || tokens <= 0 ? "-" : `${((tokens * 1000) / ms).toFixed(2)} tokens/s`;
}
