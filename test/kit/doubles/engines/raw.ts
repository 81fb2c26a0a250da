/** Servers of every kind of remote engine whose answers a test writes byte by byte, so that they can misbehave in any way. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const rawKinds = ["openai", "vllm", "sglang", "llama-server"] as const;
export type RawKind = (typeof rawKinds)[number];

/** The frames of one answer; each call of `token` is the next one. */
export interface RawFrames {
  /** A part of the answer: one token, or of the kind `openai` the words of one. */
  token(): string;
  /** An event without a part of the answer. */
  readonly empty: string;
  /** Says that the answer has ended; no usage and no `[DONE]` follow. */
  readonly finish: string;
  /** An event that is an error, with these words. */
  error(words: string): string;
}

export interface RawEngine {
  readonly kind: RawKind;
  /** As in the settings of an engine. */
  readonly url: string;
  readonly asked: Readonly<Record<string, unknown>>[];
  /** Requests for answers whose connection has ended. */
  readonly ended: number;
  /** Whether its checks succeed; null: it answers none of them. */
  isHealthy: boolean | null;
  /** Answers requests for answers; absent frames of a part: the server writes what it likes. */
  answer: (response: ServerResponse, frames: RawFrames) => void;
  /** Answers other requests; true: it has. */
  other: (path: string, response: ServerResponse) => boolean;
  /** Makes it healthy and forget what it was asked and how it answers. What began before is not in `ended`. */
  restart(delta?: Delta): void;
}

const paths: Readonly<Record<RawKind, string>> = {
  openai: "/v1/chat/completions",
  vllm: "/v1/completions",
  sglang: "/generate",
  "llama-server": "/completion",
};

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** For the kind `openai`: what is in the `delta` of each part. */
export type Delta = (at: number) => object;

export interface RawEngineOptions {
  /** What the model's vocabulary cuts a text into. */
  readonly tokenize: (text: string) => readonly number[];
  /** Ids of tokens that answers consist of. */
  readonly ids: readonly number[];
}

const usualDelta: Delta = (at) => ({ content: `word${at} ` });

/** Starts one on 127.0.0.1; it ends with the test. */
export async function startRawEngine(
  kind: RawKind,
  options: RawEngineOptions,
  finished: (cleanUp: () => Promise<void>) => void = onTestFinished,
): Promise<RawEngine> {
  let restarts = 0;
  let partOf = usualDelta;
  const engine = {
    kind,
    url: "",
    asked: [] as Readonly<Record<string, unknown>>[],
    ended: 0,
    isHealthy: true as boolean | null,
    answer: (response: ServerResponse): void => void response.end(),
    other: (): boolean => false,
    restart(delta: Delta = usualDelta): void {
      restarts += 1;
      partOf = delta;
      Object.assign(engine, { asked: [], ended: 0, isHealthy: true });
      engine.answer = (response) => void response.end();
      engine.other = () => false;
    },
  } satisfies RawEngine;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const path = request.url ?? "";
    if ((engine as RawEngine).other(path, response)) return;
    if (path !== paths[kind]) {
      if (engine.isHealthy === null) return;
      if (!engine.isHealthy) return void response.writeHead(500).end();
      return void response.end(JSON.stringify(answerOf(path, body, options)));
    }
    engine.asked.push(body);
    const began = restarts;
    response.on("close", () => {
      if (began === restarts) engine.ended += 1;
    });
    (engine as RawEngine).answer(response, framesOf(kind, body, { ids: options.ids, delta: partOf }));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  finished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  engine.url = kind === "openai" ? `${address}/v1` : address;
  return engine;
}

/** Begins a stream of events. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
}

/** Writes until the connection is closed, as fast as it is read. */
export function writeForever(response: ServerResponse, next: () => string): void {
  const write = (): void => {
    while (!response.destroyed && !response.closed && response.write(next()));
  };
  response.on("drain", () => setImmediate(write));
  write();
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
}

function answerOf(
  path: string,
  { content, prompt }: Readonly<Record<string, unknown>>,
  { tokenize }: RawEngineOptions,
): object {
  if (path === "/tokenize") return { tokens: tokenize(String(content ?? prompt)) };
  if (path === "/props") return { total_slots: 4, default_generation_settings: { n_ctx: 2048 } };
  if (path.endsWith("/models")) return { data: [{ id: "tiny", max_model_len: 2048 }] };
  return {};
}

function framesOf(
  kind: RawKind,
  body: Readonly<Record<string, unknown>>,
  { ids, delta }: Pick<RawEngineOptions, "ids"> & { readonly delta: Delta },
): RawFrames {
  let at = -1;
  const next = (): number => {
    at += 1;
    return ids[at % ids.length] ?? 0;
  };
  const error = (words: string): string => event({ error: { message: words, code: 500 } });
  const chunk = (choice: object): string => event({ choices: [{ index: 0, ...choice }] });
  const prompt = (body["prompt"] ?? body["input_ids"] ?? []) as readonly number[];
  switch (kind) {
    case "openai":
      return {
        token() {
          next();
          return chunk({ delta: delta(at) });
        },
        empty: chunk({ delta: { role: "assistant", content: "" } }),
        finish: chunk({ delta: {}, finish_reason: "stop" }),
        error,
      };
    case "vllm": {
      const read = (): object => ({ prompt_token_ids: at <= 0 ? prompt : null });
      return {
        token() {
          const id = next();
          return chunk({ ...read(), token_ids: [id], finish_reason: null });
        },
        empty: chunk({ ...read(), token_ids: [], finish_reason: null }),
        finish: chunk({ ...read(), token_ids: [], finish_reason: "stop" }),
        error,
      };
    }
    case "sglang": {
      const frame = (tokens: readonly number[], finish: object | null): string =>
        event({
          output_ids: tokens,
          meta_info: { prompt_tokens: prompt.length, completion_tokens: at + 1, finish_reason: finish },
        });
      return {
        token: () => frame([next()], null),
        get empty() {
          return frame([], null);
        },
        get finish() {
          return frame([], { type: "stop" });
        },
        error,
      };
    }
    case "llama-server": {
      const frame = (tokens: readonly number[], more: object): string =>
        event({ tokens, content: "", tokens_predicted: at + 1, tokens_evaluated: prompt.length, ...more });
      return {
        token: () => frame([next()], { stop: false }),
        get empty() {
          return frame([], { stop: false });
        },
        get finish() {
          return frame([], { stop: true, stop_type: "eos" });
        },
        error,
      };
    }
  }
}
