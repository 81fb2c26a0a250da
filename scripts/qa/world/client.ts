/** Client of the chat endpoint that records when each part of the answer arrives. */
import {
  Agent,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { firstKey, tinyModel } from "./server.js";

const agent = new Agent({ keepAlive: true });
const onlyConnection = new Agent({ keepAlive: true, maxSockets: 1 });

export interface Target {
  readonly url: string;
  readonly key: string;
}

export interface ChatRequest {
  readonly model: string;
  /** The last message. */
  readonly content: string;
  /** Data URLs of images before its text. */
  readonly images?: readonly string[];
  /** The messages before it, of the user and of the assistant by turns. */
  readonly history?: readonly string[];
  readonly maxTokens: number;
  readonly stream: boolean;
  /** Default: 0. */
  readonly temperature?: number;
  /** Goes on to `maxTokens`, also where the model would end. */
  readonly ignoresEnd?: true;
  /** Aborts the request: the call rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called for every frame with text as it arrives, with its number from 1. */
  readonly onText?: (nth: number) => void;
}

/** Times are values of `performance.now()`. */
export interface ChatAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly askedAt: number;
  readonly headersAt: number;
  readonly endedAt: number;
  /** The arrival times of the frames with text; empty for an answer that is not streamed. */
  readonly arrivals: readonly number[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Whether the answer is complete. */
  readonly whole: boolean;
  /** The body if the answer is not streamed, otherwise the last frame. */
  readonly body: string;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
}

/**
 * Sends a request and reads the answer to its end. @throws the reason of the signal, or the client's error if
 * the connection is lost
 */
export async function chat(target: Target, ask: ChatRequest): Promise<ChatAnswer> {
  const askedAt = performance.now();
  const response = await post(target, writeBody(ask), ask.signal);
  const headersAt = performance.now();
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  const read = isStream ? await readStream(response, ask.onText) : await readWhole(response);
  const { status, headers } = response;
  return { status, headers, askedAt, headersAt, endedAt: performance.now(), ...read };
}

/** Sends a request and reads the answer. @throws Error also where the answer is not whole */
export async function chatWhole(target: Target, ask: ChatRequest): Promise<ChatAnswer> {
  const answer = await chat(target, ask);
  if (!answer.whole) throw new Error(`no whole answer: ${answer.status} ${answer.body}`);
  return answer;
}

/** Returns the milliseconds between the parts of an answer. */
export function readGaps({ arrivals }: Pick<ChatAnswer, "arrivals">): readonly number[] {
  return arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at));
}

/** A response whose headers have arrived; its body can be read once. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Sends a POST request with any body to the chat endpoint. */
function post({ url, key }: Target, body: string, signal?: AbortSignal): Promise<OpenAnswer> {
  return postJson(`${url}/v1/chat/completions`, body, { authorization: `Bearer ${key}` }, signal);
}

/**
 * Sends a POST request with JSON. It uses Node's plain client instead of `fetch`, whose streams take as much
 * processor time per frame as the server and would distort the measurement on a small machine.
 */
export function postJson(
  url: string,
  body: string,
  headers: OutgoingHttpHeaders,
  signal?: AbortSignal,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method: "POST",
        agent,
        headers: {
          ...headers,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
        signal,
      },
      (response) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
    );
    asked.on("error", (error: NodeJS.ErrnoException) => {
      // A server may end a connection that waits at the moment in which it is used again.
      if (asked.reusedSocket && error.code === "ECONNRESET")
        postJson(url, body, headers, signal).then(resolve, reject);
      else reject(error);
    });
    asked.end(body);
  });
}

/** Sends JSON and reads the answer as text. @throws Error with the answer if its status is not 200 */
export async function postText({ url, key }: Target, path: string, body: object): Promise<string> {
  const answer = await postJson(`${url}${path}`, JSON.stringify(body), { authorization: `Bearer ${key}` });
  const text = await readText(answer);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

export interface HttpRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/**
 * Sends a request on the only connection of its kind and reads the body, so that neither connecting nor much of the client is measured.
 * @throws Error with the body if the status is not 200
 */
export function requestText(url: string, { method, headers, body }: HttpRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: onlyConnection }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => (text += piece));
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(text));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Returns the request for a chat with the built-in model. */
export function chatInit(maxTokens: number, stream: boolean, content: string, key = firstKey) {
  const body = {
    model: tinyModel,
    messages: [{ role: "user", content }],
    max_tokens: maxTokens,
    temperature: 0,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    reasoning_effort: "none",
  };
  return {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** Reads server-sent events and passes the text after `data: ` to `onFrame`, without parsing it. */
export async function readFrames({ body }: OpenAnswer, onFrame: (data: string) => void): Promise<void> {
  let rest = "";
  body.setEncoding("utf8");
  body.on("data", (piece: string) => {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) if (frame.startsWith("data: ")) onFrame(frame.slice(6));
  });
  await finished(body);
}

/** Reads the whole body as text. */
export function readText({ body }: OpenAnswer): Promise<string> {
  return text(body);
}

/** Returns a time in milliseconds from a response header; NaN if it is absent. */
export function headerMs(answer: ChatAnswer, name: "queue" | "prefill"): number {
  return Number(answer.headers[`x-hearth-${name}-ms`] ?? Number.NaN);
}

function writeBody(ask: ChatRequest): string {
  const { model, content, history = [], maxTokens, stream, temperature = 0, ignoresEnd } = ask;
  const parts = [
    ...(ask.images ?? []).map((url) => ({ type: "image_url", image_url: { url } })),
    { type: "text", text: content },
  ];
  const messages = [...history, ask.images === undefined ? content : parts].map((text, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: text,
  }));
  return JSON.stringify({
    model,
    messages,
    max_tokens: maxTokens,
    temperature,
    seed: 1,
    ignore_eos: ignoresEnd,
    reasoning_effort: "none",
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  });
}

type Read = Omit<ChatAnswer, "status" | "headers" | "askedAt" | "headersAt" | "endedAt">;

async function readStream(response: OpenAnswer, onText: ChatRequest["onText"]): Promise<Read> {
  const arrivals: number[] = [];
  let [usage, last] = ["", ""];
  await readFrames(response, (data) => {
    last = data;
    if (data.includes('"usage":{')) usage = data;
    if (!/"(reasoning_)?content":"[^"]/.test(data)) return;
    arrivals.push(performance.now());
    onText?.(arrivals.length);
  });
  return { arrivals, ...countsIn(usage), whole: last === "[DONE]" && usage !== "", body: last };
}

async function readWhole(response: OpenAnswer): Promise<Read> {
  const body = await readText(response);
  const ok = response.status === 200;
  const whole = ok && body.includes('"finish_reason":"');
  return { arrivals: [], ...countsIn(ok ? body : ""), whole, body };
}

function countsIn(json: string): Pick<Read, "promptTokens" | "cachedTokens" | "completionTokens"> {
  const usage = json === "" ? undefined : (JSON.parse(json) as { usage?: Usage }).usage;
  return {
    promptTokens: usage?.prompt_tokens ?? 0,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
  };
}
