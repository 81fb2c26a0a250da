import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import type { OllamaIdentity } from "../../../src/dialects/ollama/answer.js";
import { createOllamaChatEncoder, foldOllamaChat } from "../../../src/dialects/ollama/chat/encode.js";
import { encodeOllamaGenerate, foldOllamaGenerate } from "../../../src/dialects/ollama/generate/encode.js";
import { jsonLine } from "../../../src/dialects/ollama/lines.js";
import { fixture } from "../fixture.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: OllamaIdentity = {
  model: "ember-1m",
  created: Date.UTC(2026, 10, 21, 8, 0, 1),
  times: () => ({ elapsedMs: 1234.5, loadMs: 1000, prefillMs: 34.25, decodeMs: 200 }),
};

const start: GenerationEvent = { type: "generation-start", promptTokens: 31, cachedTokens: 24 };
const thought: GenerationEvent = { type: "reasoning-delta", choice: 0, text: "Two cities.", tokens: 4 };

/** One call has a number that a double does not keep. */
const called: readonly GenerationEvent[] = [
  start,
  thought,
  { type: "tool-call-start", choice: 0, index: 0, id: "call_10", name: "list_cities", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: "{}", tokens: 1 },
  { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
  { type: "tool-call-start", choice: 0, index: 1, id: "call_11", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 1, arguments: '{"city":"Köln",', tokens: 5 },
  { type: "tool-call-delta", choice: 0, index: 1, arguments: '"station":9007199254740993}', tokens: 5 },
  { type: "tool-call-end", choice: 0, index: 1, tokens: 1 },
  { type: "generation-end", choice: 0, finishReason: "tool_calls", stopSequence: null },
];

const cut: readonly GenerationEvent[] = [
  start,
  thought,
  { type: "text-delta", choice: 0, text: "\n\nIt ", tokens: 2 },
  { type: "text-delta", choice: 0, text: "rains. 🌧", tokens: 3 },
  { type: "generation-end", choice: 0, finishReason: "length", stopSequence: null },
];

describe("a golden transcript of Ollama's interface", () => {
  it.each([
    ["tool-calls", called],
    ["cut", cut],
  ])("of %s matches byte for byte, streamed and as JSON", (name, events) => {
    const encoder = createOllamaChatEncoder(identity);
    const lines = runEvents(events).flatMap((event) => encoder.lines(event));
    expect(lines.map((line) => jsonLine(line, encoder.texts)).join("")).toBe(
      fixture("ollama-chat", `${name}-stream.txt`),
    );
    const fold = foldOllamaChat(identity);
    for (const event of runEvents(events)) fold.add(event);
    expect(jsonLine(fold.result(), fold.texts)).toBe(fixture("ollama-chat", `${name}.txt`));
  });

  it("of a generated text matches byte for byte, streamed and as JSON", () => {
    const lines = runEvents(cut).flatMap((event) => encodeOllamaGenerate(identity, event));
    expect(lines.map((line) => jsonLine(line)).join("")).toBe(fixture("ollama-generate", "cut-stream.txt"));
    const fold = foldOllamaGenerate(identity);
    for (const event of runEvents(cut)) fold.add(event);
    expect(jsonLine(fold.result())).toBe(fixture("ollama-generate", "cut.txt"));
  });
});
