import { isDeepStrictEqual } from "node:util";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { streamAnswer } from "../../../../src/cli/run/chat-client.js";
import type { GenerationEvent } from "../../../../src/core/generation.js";
import { encodeCompletion } from "../../../../src/dialects/anthropic-complete/encode.js";
import { createMessageEncoder } from "../../../../src/dialects/anthropic-messages/encode.js";
import { splitDocument as citedPartsOf } from "../../../../src/dialects/anthropic-messages/documents/cited.js";
import { createChunkEncoder } from "../../../../src/dialects/openai-chat/encode.js";
import { dataFrame, doneFrame, eventFrame, pingFrame } from "../../../../src/dialects/sse.js";
import { ember } from "../../../../test/kit/scripted/ember.js";
import { runEvents } from "../../../../test/kit/scripted/run-events.js";
import { parsed } from "../mutate/json.js";
import { check } from "../../checks/violation.js";
import type { FuzzTarget } from "../target.js";

/** Documents of each type that an answer may cite. */
const cited = new Map(
  (["text", "pages", "blocks"] as const).map((type, index) => [
    index,
    citedPartsOf({ type, texts: ["One. Two.", "Three."] }, null),
  ]),
);

/** A stream as the server writes it, and the events that a client must read from it. */
interface Stream {
  readonly frames: string;
  readonly payloads: readonly { readonly event: string | undefined; readonly value: unknown }[];
}

export const target: FuzzTarget = {
  guarantee:
    "clients read the events of a stream as they were written, whatever their text is and wherever the bytes are cut",
  format: "json",
  bytesMax: 2048,
  msMax: 2000,
  corpus: "events",
  words: [
    "data: ",
    "event: ",
    "id: ",
    "retry: 1",
    ": ping",
    "\n\n",
    "\r\n",
    "\r",
    "\u2028",
    "\u0085",
    "\ufeff",
    "\0",
    "[DONE]",
    "\ud83d",
    "<think>",
    "[[0:0]]",
    " [[0:1-2, 1:0]]",
  ],
  async run(input) {
    const { texts, cuts } = splitDocument(parsed(input));
    const events = runEvents(createTextEvents(texts));
    const inPieces = chatStream(events, true);
    for (const stream of [chatStream(events), inPieces, messageStream(events), completeStream(events)]) {
      const read = readBack(cutFrames(stream.frames, cuts));
      check(
        isDeepStrictEqual(read, stream.payloads),
        () => `other events were read: ${JSON.stringify(read)}`,
      );
    }
    await checkOwnClient(cutFrames(chatStream(events).frames, cuts), texts);
    return "read";
  },
};

/** Takes the texts and numbers of any document. */
function splitDocument(document: unknown): {
  readonly texts: readonly string[];
  readonly cuts: readonly number[];
} {
  const texts: string[] = [];
  const cuts: number[] = [];
  JSON.stringify(document ?? null, (key, value: unknown) => {
    if (key.length > 0 && !/^\d+$/.test(key)) texts.push(key);
    if (typeof value === "string") texts.push(value);
    if (typeof value === "number") cuts.push(Math.abs(Math.trunc(value)));
    return value;
  });
  return { texts: texts.slice(0, 12), cuts: cuts.slice(0, 40) };
}

/** The texts in turn as reasoning, answer, and the name and arguments of a call. */
function createTextEvents(texts: readonly string[]): readonly GenerationEvent[] {
  const deltas = texts.map((text, index): GenerationEvent => {
    const type = index % 3 === 0 ? "reasoning-delta" : "text-delta";
    return { type, choice: 0, text, tokens: 1 };
  });
  const [name = "f", ...pieces] = texts;
  const call = { choice: 0, index: 0 };
  return [
    { type: "generation-start", promptTokens: 1, cachedTokens: 0 },
    ...deltas,
    { type: "tool-call-start", ...call, id: "call_1", name, tokens: 1 },
    ...pieces.map((json) => ({ type: "tool-call-delta", ...call, arguments: json, tokens: 1 }) as const),
    { type: "tool-call-end", ...call, tokens: 1 },
    { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: texts.at(-1) ?? null },
  ];
}

type Events = ReturnType<typeof runEvents>;

function chatStream(events: Events, streamsCalls = false): Stream {
  const identity = {
    id: "chatcmpl-1",
    created: 1,
    model: ember,
    modelName: ember.manifest.id,
    choices: 1,
    callsAsFunction: false,
    streamsCalls,
  };
  const chunks = events.flatMap(createChunkEncoder(identity, true));
  return {
    frames: `${pingFrame}${chunks.map(dataFrame).join(pingFrame)}${doneFrame}`,
    payloads: [...chunks.map((value) => payload(undefined, value)), { event: undefined, value: "[DONE]" }],
  };
}

function messageStream(events: Events): Stream {
  const identity = {
    id: "msg_1",
    model: ember,
    modelName: ember.manifest.id,
    thinking: "shown",
    maxTokens: null,
    appliedEdits: null,
    documents: cited,
  } as const;
  const written = events.flatMap(createMessageEncoder(identity));
  return {
    frames: written.map((event) => eventFrame(event.type, event)).join(""),
    payloads: written.map((event) => payload(event.type, event)),
  };
}

function completeStream(events: Events): Stream {
  const written = events.flatMap(
    (event) => encodeCompletion({ id: "compl_1", model: ember, modelName: ember.manifest.id }, event) ?? [],
  );
  return {
    frames: written.map((event) => eventFrame("completion", event)).join(pingFrame),
    payloads: written.map((event) => payload("completion", event)),
  };
}

function payload(event: string | undefined, value: object): Stream["payloads"][number] {
  return { event, value: JSON.parse(JSON.stringify(value)) as unknown };
}

/** Cuts the bytes of a stream at the given places, in characters too. */
function cutFrames(frames: string, cuts: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(frames);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, nth) => bytes.subarray(ends[nth - 1] ?? 0, end));
}

function readBack(pieces: readonly Buffer[]): Stream["payloads"] {
  const read: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => read.push(event) });
  const decoder = new TextDecoder();
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  return read.map(({ event, data }) => ({
    event,
    value: data === "[DONE]" ? data : (JSON.parse(data) as unknown),
  }));
}

/** Checks that `hearth run` reads the texts, too. */
async function checkOwnClient(pieces: readonly Buffer[], texts: readonly string[]): Promise<void> {
  globalThis.fetch = () =>
    Promise.resolve(new Response(ReadableStream.from(pieces.filter(({ length }) => length > 0))));
  const read = { text: "", reasoning: "" };
  const server = { url: "http://server", key: "key" };
  for await (const { kind, text } of streamAnswer(
    server,
    { model: "m", messages: [] },
    new AbortController().signal,
  ))
    read[kind] += text;
  const expected = texts.filter((_, index) => index % 3 !== 0).join("");
  check(read.text === expected, () => `the command line reads ${JSON.stringify(read.text)}`);
}
