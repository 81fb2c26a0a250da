import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { createChunkEncoder, foldChat, type ChatIdentity } from "../../../src/dialects/openai-chat/encode.js";
import type { ChatChunk, ChatCompletion } from "../../../src/dialects/openai-chat/response-schema.js";
import { dataFrame, doneFrame } from "../../../src/dialects/sse.js";
import { answersOf, callsOf, joinDeltas, textOf, tokensOf, type Answers } from "../events.js";
import { readFrames } from "../frames.js";
import { ember } from "../../kit/scripted/ember.js";
import { runEvents } from "../../kit/scripted/run-events.js";

const identityOf = (choices: number, callsAsFunction = false): ChatIdentity => ({
  id: "0193a1c2-5d7e-7c40-9b1f-2f6a8d3e4c51",
  created: 1795219201,
  model: ember,
  modelName: ember.manifest.id,
  choices,
  callsAsFunction,
});

/** Encodes events as a stream and parses its chunks. */
function chunksOf(identity: ChatIdentity, events: readonly GenerationEvent[]): readonly ChatChunk[] {
  const frames = readFrames(
    runEvents(events).flatMap(createChunkEncoder(identity, true)).map(dataFrame).join("") + doneFrame,
  );
  expect(frames.at(-1)).toEqual({ event: null, data: "[DONE]" });
  return frames.slice(0, -1).map(({ data }) => JSON.parse(data) as ChatChunk);
}

function folded(identity: ChatIdentity, events: readonly GenerationEvent[]): ChatCompletion {
  const fold = foldChat(identity);
  for (const event of runEvents(events)) fold.add(event);
  return fold.result();
}

/** Accumulates the chunks of a stream as an independent client does. */
function readStream(chunks: readonly ChatChunk[], count: number) {
  return Array.from({ length: count }, (_, index) => {
    const parts = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    const deltas = parts.map(({ delta }) => delta);
    const content = parts.flatMap(({ logprobs }) => (logprobs === null ? [] : logprobs.content));
    return {
      index,
      role: deltas.flatMap((delta) => delta.role ?? []).join(),
      content: deltas.map((delta) => delta.content ?? "").join(""),
      reasoning: deltas.map((delta) => delta.reasoning_content ?? "").join(""),
      calls: deltas.flatMap((delta) => delta.tool_calls ?? []),
      functions: deltas.flatMap((delta) => delta.function_call ?? []),
      logprobs: parts.some(({ logprobs }) => logprobs !== null) ? content : null,
      finishes: parts.flatMap(({ finish_reason: finish }) => finish ?? []),
    };
  });
}

/** Returns the same values from the JSON response. */
function readJson({ choices }: ChatCompletion) {
  return choices.map(({ index, message, logprobs, finish_reason: finish }) => ({
    index,
    role: message.role,
    content: message.content,
    reasoning: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map((call, at) => ({ index: at, ...call })),
    functions: message.function_call === undefined ? [] : [message.function_call],
    logprobs: logprobs?.content ?? null,
    finishes: finish === null ? [] : [finish],
  }));
}

/** Returns the expected values from the answers that the events were generated from. */
function expectedContent({ answers }: Answers) {
  return answers.map((answer, index) => ({
    index,
    content: textOf(answer, "text"),
    reasoning: textOf(answer, "reasoning"),
    calls: callsOf(answer).map((call, at) => ({
      index: at,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.pieces.join("") },
    })),
    finishes: [answer.finish === "stop_sequence" ? "stop" : answer.finish],
  }));
}

/** Returns the parts of one choice in order; adjacent parts of the same kind are joined. */
function inOrder(parts: readonly (readonly [kind: string, text: string])[]): readonly string[] {
  const runs: [kind: string, text: string][] = [];
  for (const [kind, text] of parts) {
    const last = runs.at(-1);
    if (last?.[0] === kind) last[1] += text;
    else if (text !== "") runs.push([kind, text]);
  }
  return runs.map((run) => run.join(": "));
}

describe("the response of the chat dialect with several choices, tool calls, log probabilities and reasoning", () => {
  it("is the same as JSON and streamed, for all events and orders", () => {
    fc.assert(
      fc.property(answersOf(), ({ answers, events }) => {
        const identity = identityOf(answers.length);
        const chunks = chunksOf(identity, events);
        const whole = folded(identity, events);
        expect(readJson(whole)).toEqual(readStream(chunks, answers.length));
        expect(chunks.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage]);
        expect(chunks.at(-1)?.choices).toEqual([]);
        for (const { id, created, model, system_fingerprint: print } of chunks)
          expect([id, created, model, print]).toEqual([
            whole.id,
            whole.created,
            whole.model,
            whole.system_fingerprint,
          ]);
      }),
    );
  });

  it("contains exactly the content of the events", () => {
    fc.assert(
      fc.property(answersOf(), (made) => {
        const { answers, events } = made;
        const whole = folded(identityOf(answers.length), events);
        expect(readJson(whole)).toMatchObject(expectedContent(made));
        const expectedParts = answers.map(({ parts }) =>
          parts.flatMap((part) => ("logprobs" in part ? part.logprobs : [])),
        );
        expect(whole.choices.map(({ logprobs }) => logprobs?.content.length ?? 0)).toEqual(
          expectedParts.map(({ length }) => length),
        );
        const { usage } = whole;
        const { reasoning_tokens: reasoned } = usage.completion_tokens_details;
        expect([usage.completion_tokens, reasoned]).toEqual([
          tokensOf(events, "rest"),
          tokensOf(events, "reasoning"),
        ]);
        expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens + reasoned);
      }),
    );
  });

  it("has the same content for a slow reader whose deltas were joined", () => {
    fc.assert(
      fc.property(answersOf(), ({ answers, events }) => {
        const identity = identityOf(answers.length);
        expect(folded(identity, joinDeltas(events))).toEqual(folded(identity, events));
      }),
    );
  });

  it("keeps the order of all parts and sends each tool call in one chunk", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1 }), ({ answers, events }) => {
        const deltas = chunksOf(identityOf(1), events).flatMap(({ choices }) => choices);
        const streamed = deltas.flatMap(({ delta }) => [
          ["reasoning", delta.reasoning_content ?? ""] as const,
          ["text", delta.content ?? ""] as const,
          ...(delta.tool_calls ?? []).map((call) => ["id" in call ? call.id : "", "called"] as const),
        ]);
        const parts = answers.flatMap((answer) => answer.parts);
        expect(inOrder(streamed)).toEqual(
          inOrder(parts.map((part) => (part.type === "call" ? [part.id, "called"] : [part.type, part.text]))),
        );
        for (const { delta } of deltas) expect((delta.tool_calls ?? []).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("never sends two equal reasoning deltas in a row, because a client would drop the second", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 1, callsMax: 0, piecesMax: 60 }), ({ events }) => {
        const reasoning = chunksOf(identityOf(1), events).map(
          ({ choices }) => choices[0]?.delta.reasoning_content ?? null,
        );
        for (const [index, text] of reasoning.entries())
          if (text !== null) expect(reasoning[index + 1]).not.toBe(text);
        expect(reasoning).not.toContain("");
      }),
      { numRuns: 500 },
    );
  });

  it("encodes the call as function_call for a client that sent functions, streamed and as JSON", () => {
    fc.assert(
      fc.property(answersOf({ choicesMax: 2, callsMax: 1 }), ({ answers, events }) => {
        const identity = identityOf(answers.length, true);
        const whole = readJson(folded(identity, events));
        expect(whole).toEqual(readStream(chunksOf(identity, events), answers.length));
        for (const [index, answer] of answers.entries()) {
          const functions = callsOf(answer).map(({ name, pieces }) => ({ name, arguments: pieces.join("") }));
          expect(whole[index]).toMatchObject({ calls: [], functions });
          if (answer.finish === "tool_calls") expect(whole[index]?.finishes).toEqual(["function_call"]);
        }
      }),
    );
  });
});
