import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { createChunkEncoder, foldChat, type ChatIdentity } from "../../../src/dialects/openai-chat/encode.js";
import type { ChatChunk } from "../../../src/dialects/openai-chat/response-schema.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents, usageCounter } from "../../kit/scripted/run-events.js";

const identity: ChatIdentity = {
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  modelName: ember.manifest.id,
  choices: 1,
  callsAsFunction: false,
};

const answer: readonly GenerationEvent[] = [
  { type: "generation-start", promptTokens: 19, cachedTokens: 8 },
  { type: "reasoning-delta", choice: 0, text: "A colour", tokens: 2 },
  { type: "reasoning-delta", choice: 0, text: " of fire.", tokens: 3 },
  { type: "text-delta", choice: 0, text: "Red", tokens: 1 },
  { type: "text-delta", choice: 0, text: "", tokens: 1 },
  { type: "text-delta", choice: 0, text: ' –\n"glut".', tokens: 4 },
  { type: "generation-end", choice: 0, finishReason: "stop_sequence", stopSequence: "END" },
];

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/openai-chat/${name}`, import.meta.url), "utf8");
}

function chunksOf(events: readonly GenerationEvent[], includeUsage = true): readonly ChatChunk[] {
  return runEvents(events).flatMap(createChunkEncoder(identity, includeUsage));
}

function folded(events: readonly GenerationEvent[]) {
  const fold = foldChat(identity);
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

describe("the response of the chat dialect", () => {
  it("matches the golden transcript byte for byte when streamed", () => {
    expect(chunksOf(answer).map(dataFrame).join("") + doneFrame).toBe(fixture("stream.txt"));
  });

  it("matches the golden object as JSON", () => {
    expect(folded(answer)).toEqual(JSON.parse(fixture("completion.json")));
    expect(JSON.stringify(folded(answer))).toBe(JSON.stringify(JSON.parse(fixture("completion.json"))));
  });

  it("has a usage chunk only if requested", () => {
    const chunks = chunksOf(answer, false);
    expect(chunks.filter(({ usage, choices }) => usage !== undefined || choices.length === 0)).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });

  it("omits reasoning_content if there is no reasoning", () => {
    const plain = answer.filter((event) => event.type !== "reasoning-delta");
    expect(JSON.stringify(folded(plain))).not.toContain("reasoning_content");
  });

  it.each([
    ["stop", "stop"],
    ["stop_sequence", "stop"],
    ["length", "length"],
  ] as const)("maps the finish reason %s to finish_reason %s", (finishReason, wire) => {
    const events = [
      ...answer.slice(0, -1),
      { type: "generation-end", choice: 0, finishReason, stopSequence: null } as const,
    ];
    expect(folded(events).choices[0]?.finish_reason).toBe(wire);
  });

  it("sends ordinary reasoning immediately, token by token", () => {
    const encode = createChunkEncoder(identity, false);
    const counted = usageCounter();
    const sent = ["The", " user", " wants"].map(
      (text) => encode(counted({ type: "reasoning-delta", choice: 0, text, tokens: 1 })).length,
    );
    expect(sent).toEqual([1, 1, 1]);
  });
});
