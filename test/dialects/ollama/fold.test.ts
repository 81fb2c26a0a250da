import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OllamaIdentity } from "../../../src/dialects/ollama/answer.js";
import { createOllamaChatEncoder, foldOllamaChat } from "../../../src/dialects/ollama/chat/encode.js";
import { encodeOllamaGenerate, foldOllamaGenerate } from "../../../src/dialects/ollama/generate/encode.js";
import { calling } from "../../kit/scripted/calling.js";
import { answersOf, callsOf, joinDeltas, textOf, tokensOf } from "../events.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identity: OllamaIdentity = {
  model: "ember-1m",
  created: Date.UTC(2026, 10, 21),
  times: () => ({ elapsedMs: 10.5, loadMs: 1, prefillMs: 2, decodeMs: null }),
};

describe("the answer of POST /api/chat", () => {
  it("is the same as one object and as lines, for all events, also of a slow reader", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1 }), ({ events }) => {
        const encoder = createOllamaChatEncoder(identity);
        const lines = runEvents(events).flatMap((event) => encoder.lines(event));
        const fold = foldOllamaChat(identity);
        for (const event of runEvents(joinDeltas(events))) fold.add(event);
        const { message, logprobs = [], ...end } = fold.result();
        const all = lines.map((line) => line.message);
        expect(message.content).toBe(all.map(({ content }) => content).join(""));
        expect(message.thinking ?? "").toBe(all.map(({ thinking = "" }) => thinking).join(""));
        expect(message.tool_calls ?? []).toEqual(all.flatMap(({ tool_calls: calls = [] }) => calls));
        expect(logprobs).toEqual(lines.flatMap((line) => line.logprobs ?? []));
        const { message: _, ...last } = lines.at(-1) ?? {};
        expect(end).toEqual(last);
        expect(lines.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true]);
      }),
    );
  });

  it("has every text, whole call and token of the events, and no call that is cut off", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1 }), ({ answers: [answer], events }) => {
        if (answer === undefined) throw new Error("no answer");
        const fold = foldOllamaChat(identity);
        for (const event of runEvents(events)) fold.add(event);
        const { message, eval_count: tokens } = fold.result();
        expect(message.content).toBe(textOf(answer, "text"));
        expect(message.thinking ?? "").toBe(textOf(answer, "reasoning"));
        expect((message.tool_calls ?? []).map(({ function: { name } }) => name)).toEqual(
          callsOf(answer).flatMap(({ cut, name }) => (cut ? [] : [name])),
        );
        expect(tokens).toBe(tokensOf(events, "rest") + tokensOf(events, "reasoning"));
      }),
    );
  });

  it("has an object as the arguments of a call, also where the model writes a list", () => {
    const fold = foldOllamaChat(identity);
    for (const event of runEvents(calling("look", ["here"]))) fold.add(event);
    expect(fold.result().message.tool_calls).toMatchObject([{ function: { name: "look", arguments: {} } }]);
  });
});

describe("the answer of POST /api/generate", () => {
  it("is the same as one object and as lines, for all events", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1, callsMax: 0 }), ({ events }) => {
        const lines = runEvents(events).flatMap((event) => encodeOllamaGenerate(identity, event));
        const fold = foldOllamaGenerate(identity);
        for (const event of runEvents(events)) fold.add(event);
        const whole = fold.result();
        expect(whole.response).toBe(lines.map(({ response }) => response).join(""));
        expect(whole.thinking ?? "").toBe(lines.map(({ thinking = "" }) => thinking).join(""));
        expect(whole.eval_count).toBe(lines.at(-1)?.eval_count);
      }),
    );
  });
});
