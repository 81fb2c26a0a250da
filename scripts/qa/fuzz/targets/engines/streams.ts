import { createServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { freeRules, type DecodeJob } from "../../../../../src/core/engine.js";
import { HearthError } from "../../../../../src/core/errors.js";
import type { GenerationEvent, Sampling } from "../../../../../src/core/generation.js";
import {
  addEvent,
  correctUsage,
  limitUsage,
  noUsage,
  replaceImplausible,
  type Usage,
} from "../../../../../src/core/usage.js";
import { createLlamaServerClient } from "../../../../../src/engine/remote/clients/llama-server.js";
import { createSglangClient } from "../../../../../src/engine/remote/clients/sglang.js";
import { createVllmClient } from "../../../../../src/engine/remote/clients/vllm.js";
import { streamEvents } from "../../../../../src/engine/remote/http.js";
import type { Segment, TokenKind } from "../../../../../src/engine/remote/protocol.js";
import { serverSentData } from "../../../../../src/engine/remote/server-sent.js";
import { TextAnswer } from "../../../../../src/engine/remote/text/answer.js";
import { listen } from "../../../world/http-server.js";
import { parsed } from "../../mutate/json.js";
import { check } from "../../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../../target.js";

/** The longest stream: repetitions beyond it are left out. */
const streamBytesMax = 131_072;
const tokensMax = 64;
const promptTokens = 8;
const bound = { prompt: promptTokens, sampled: tokensMax };
const kinds: ReadonlySet<string> = new Set([
  "model_unavailable",
  "invalid_output",
  "rate_limited",
  "overloaded",
]);

const vocabulary = {
  vocabularyTokens: 300,
  tokenBytes: {
    of: (token: number) => (token < 256 ? Uint8Array.of(token) : Buffer.from(token < 300 ? `é${token}` : "")),
    display: String,
    longestBytes: 5,
    withQuotes: () => ({ one: [], several: [] }),
    beginnings: () => {
      throw new Error("no grammar is followed here");
    },
  },
};
const clients = {
  "llama-server": createLlamaServerClient(vocabulary),
  vllm: createVllmClient(),
  sglang: createSglangClient(),
};

export const target: FuzzTarget = {
  guarantee:
    "the stream of an engine outside ends as events or as an error of that engine, within the bounds of its request, whatever it sends",
  format: "json",
  bytesMax: 4096,
  msMax: 5000,
  corpus: "engine-streams",
  words: [
    "data: ",
    "data:",
    "\n\n",
    "\r\n",
    "\r",
    ": ping\n\n",
    "[DONE]",
    "data: [DONE]\n\n",
    "event: error\n",
    "\ufeff",
  ],
  async run(input) {
    const { stream, cuts } = toStream(parsed(input));
    await checkCuts(stream, cuts);
    const labels = [await readTexts(stream)];
    for (const kind of ["llama-server", "vllm", "sglang"] as const)
      labels.push(await readTokens(kind, stream, input.length % 2 === 0 ? 2 : null));
    return labels.join(" ");
  },
};

/**
 * Reads a document as a stream: a text stands for its bytes, a number for a cut, `{"times": N, "of": EVENT}` for repetitions, and anything
 * else for an event with this data.
 */
function toStream(document: unknown): { readonly stream: Buffer; readonly cuts: readonly number[] } {
  const cuts: number[] = [];
  const parts: string[] = [];
  let bytes = 0;
  const add = (part: unknown): void => {
    if (typeof part === "number") return void cuts.push(part);
    const text = typeof part === "string" ? part : `data: ${JSON.stringify(part)}\n\n`;
    bytes += Buffer.byteLength(text);
    if (bytes <= streamBytesMax) parts.push(text);
  };
  for (const part of Array.isArray(document) ? (document as unknown[]) : [document]) {
    const { times, of } = (typeof part === "object" && part !== null ? part : {}) as Record<string, unknown>;
    if (typeof times !== "number") add(part);
    else
      for (let left = Math.min(times, 4_096); left > 0 && bytes <= streamBytesMax; left -= 1) add(of ?? "x");
  }
  return { stream: Buffer.from(parts.join("")), cuts };
}

/** Checks that events are the same wherever their bytes are cut, characters and line ends included. */
async function checkCuts(stream: Buffer, cuts: readonly number[]): Promise<void> {
  const sizes = [1, ...cuts.map((cut) => (Math.abs(Math.trunc(cut)) % 64) + 1)].slice(0, 4);
  const whole = await collectTexts([stream]);
  for (const size of sizes) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < Math.min(stream.length, 4_096); at += size)
      pieces.push(stream.subarray(at, Math.min(at + size, 4_096)));
    if (stream.length > 4_096) pieces.push(stream.subarray(4_096));
    check(
      isDeepStrictEqual(await collectTexts(pieces), whole),
      () => `pieces of ${size} bytes are other events`,
    );
  }
}

async function collectTexts(pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const text of serverSentData(toAsync(pieces))) texts.push(text);
  return texts;
}

async function* toAsync(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}

/** Reads the stream as chunks of texts, and checks what they are charged. */
async function readTexts(stream: Buffer): Promise<string> {
  const server = { url: await serveStream(stream), apiKey: null };
  const answer = new TextAnswer(server, job, 4_096);
  const read = new CheckedAnswer();
  const end = await runReader(async () => {
    for await (const event of streamEvents(server, "/v1/chat/completions", {}, AbortSignal.timeout(60_000))) {
      for (const each of answer.read(event.data)) read.take(each);
      if (answer.isComplete) event.ends();
      if (answer.isCut) break;
    }
    for (const each of answer.end()) read.take(each);
    return "end";
  });
  return `openai:${end}${answer.isCut ? " cut" : ""}`;
}

/** The usage of an answer from its events, as a run counts it. */
class CheckedAnswer {
  #usage: Usage = addEvent(noUsage, { type: "generation-start", promptTokens, cachedTokens: 0 });
  #open = -1;
  #hasEnded = false;

  take(event: GenerationEvent): void {
    check(!this.#hasEnded, () => `${event.type} comes after the end`);
    this.#checkCall(event);
    const isEnd = event.type === "generation-end";
    this.#hasEnded = isEnd;
    if (!isEnd) this.#usage = addEvent(this.#usage, event);
    else if (event.counted !== undefined && event.counted !== null)
      this.#usage = correctUsage(this.#usage, this.#usage, replaceImplausible(event.counted, this.#usage));
    const {
      promptTokens: prompt,
      cachedTokens,
      completionTokens,
      reasoningTokens,
    } = limitUsage(this.#usage, bound);
    const sampled = completionTokens + reasoningTokens;
    const counts = [prompt, cachedTokens, completionTokens, reasoningTokens];
    const isWithin = prompt <= promptTokens && sampled <= tokensMax && cachedTokens <= prompt;
    check(
      isWithin && counts.every((count) => Number.isSafeInteger(count) && count >= 0),
      () => `usage is ${counts.join()}`,
    );
  }

  #checkCall(event: GenerationEvent): void {
    if (event.type === "tool-call-start") {
      check(event.index === this.#open + 1, () => `call ${event.index} comes after ${this.#open}`);
      this.#open = event.index;
    } else if (event.type === "tool-call-delta" || event.type === "tool-call-end")
      check(event.index === this.#open, () => `call ${event.index} is not open`);
  }
}

/** Reads the stream as frames of tokens. */
async function readTokens(kind: TokenKind, stream: Buffer, topLogprobs: number | null): Promise<string> {
  const segment = {
    ...anySegment,
    topLogprobs,
    target: { ...anySegment.target, kind, url: await serveStream(stream) },
  };
  let [tokens, started, ends] = [0, 0, 0];
  const end = await runReader(async () => {
    for await (const event of clients[kind].stream(segment, AbortSignal.timeout(60_000))) {
      check(ends === 0, () => `${event.type} comes after the end`);
      if (event.type === "started") started += 1;
      else if (event.type === "end") ends += 1;
      else if (event.type === "tokens") {
        check(started === 1, () => "tokens come before the start");
        tokens += event.tokens.length;
        check(
          event.tokens.every(({ id }) => Number.isSafeInteger(id) && id >= 0),
          () => "an id is no integer",
        );
      }
    }
    return `ends ${ends}`;
  });
  check(started <= 1 && tokens <= streamBytesMax, () => `it has ${started} starts and ${tokens} tokens`);
  return `${kind}:${end}`;
}

/** @returns a label of how it ends @throws what is no error of an engine */
async function runReader(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof HearthError) || !kinds.has(thrown.kind)) throw thrown;
    return toLabel(thrown.message);
  }
}

let url: Promise<string> | null = null;
let sent: Buffer = Buffer.alloc(0);

/** Returns the address of a server that answers everything with a stream, then with what its first event has. */
function serveStream(stream: Buffer): Promise<string> {
  sent = stream;
  if (url === null) {
    const server = createServer((req, res) => {
      req.resume();
      res.on("error", () => undefined);
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.end(sent);
    });
    server.keepAliveTimeout = 60_000;
    url = listen(server);
    server.unref();
  }
  return url;
}

const sampling: Sampling = {
  temperature: 0,
  topP: 1,
  topK: null,
  minP: 0,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: {},
};

const anySegment: Omit<Segment, "topLogprobs"> = {
  target: {
    kind: "vllm",
    url: "",
    apiKey: null,
    modelName: "m",
    slot: null,
    reusesPrefixes: true,
    salt: "team",
  },
  tokens: Array.from({ length: promptTokens }, (_, at) => at + 97),
  answerTokens: 0,
  grammar: null,
  sampling,
  stated: sampling,
  seed: 1,
  logitBias: new Map(),
  tokensMax,
  endTokens: [256],
};

const job: DecodeJob = {
  prompt: { tokens: new Uint32Array(promptTokens), startsInReasoning: false },
  teamId: "team",
  sampling,
  tools: [{ name: "f", parameters: { type: "object" } }],
  toolChoice: { mode: "auto", names: null, parallel: true },
  rules: freeRules,
  format: { type: "text" },
  callIdPrefix: "call_",
  reasoningTokensMax: null,
  topLogprobs: null,
  stop: [],
  maxTokens: tokensMax,
  maxTokensExcludesReasoning: false,
  deterministic: false,
  ephemeral: false,
};
