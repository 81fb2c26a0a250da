import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClearToolUses, ContextEdit } from "../../../src/core/prompt/context-edit.js";
import { HearthError } from "../../../src/core/errors.js";
import { noTools, type GenerationRequest, type Message } from "../../../src/core/generation.js";
import { applyContextEdits } from "../../../src/inference/prompt/context-edits.js";

const words = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
const textOf = ({ messages }: GenerationRequest): string =>
  messages.map(({ content, reasoning = "" }) => `${content} ${reasoning}`).join(" ");

/** Counts words; a prompt of more than `contextTokens` does not fit. */
function counterOf(contextTokens = 1_000_000) {
  const counter = {
    countPrompt: (request: GenerationRequest) => {
      const tokens = words(textOf(request));
      return tokens > contextTokens
        ? Promise.reject(new HearthError("context_length_exceeded", "too long"))
        : Promise.resolve(tokens);
    },
    tokenize: (_: string, text: string) => Promise.resolve(Object.assign([], { length: words(text) })),
  };
  return counter;
}

function requestOf(messages: readonly Message[]): GenerationRequest {
  return {
    model: "m",
    messages,
    tools: [],
    toolChoice: noTools,
    format: { type: "text" },
    reasoningEffort: "none",
    sampling: {},
    topLogprobs: null,
    choices: 1,
    stop: [],
    maxTokens: null,
    maxTokensExcludesReasoning: false,
    deterministic: false,
  };
}

/** Returns the messages of a tool call: the turn that makes it, and its result. */
function callOf(id: string, name = "look", result = `${id} `.repeat(20)): readonly Message[] {
  const call = { id, name, arguments: `{"about":"${id} and more words"}` };
  return [
    { role: "assistant", content: "", reasoning: `about ${id}`, toolCalls: [call] },
    { role: "tool", content: result, toolCallId: id },
  ];
}

const clearing = (change: Partial<ClearToolUses> = {}): ClearToolUses => ({
  type: "clear-tool-uses",
  trigger: { type: "tool-uses", value: 0 },
  keep: 1,
  clearAtLeast: 0,
  excludedTools: [],
  clearedInputs: [],
  ...change,
});

const apply = (messages: readonly Message[], edits: readonly ContextEdit[], contextTokens?: number) =>
  applyContextEdits(
    counterOf(contextTokens),
    requestOf(messages),
    edits,
    "team-1",
    new AbortController().signal,
  );

describe("clearing tool uses", () => {
  const calls = [...callOf("a"), ...callOf("b", "keep"), ...callOf("c"), ...callOf("d")];
  const isCleared = ({ messages }: GenerationRequest): readonly string[] =>
    messages.flatMap(({ toolCallId, content }) =>
      toolCallId !== undefined && content.startsWith("[The result") ? [toolCallId] : [],
    );

  it("replaces the results of all but the newest calls and those of excluded tools", async () => {
    const { request, applied } = await apply(calls, [clearing({ excludedTools: ["keep"] })]);
    expect(isCleared(request)).toEqual(["a", "c"]);
    expect(applied).toMatchObject([{ type: "clear-tool-uses", cleared: 2 }]);
    const before = words(textOf(requestOf(calls)));
    expect(applied[0]?.clearedTokens).toBe(before - words(textOf(request)));
    // Calls stay, as templates require a call for each result.
    expect(request.messages.flatMap(({ toolCalls = [] }) => toolCalls)).toEqual(
      calls.flatMap(({ toolCalls = [] }) => toolCalls),
    );
  });

  it("clears the arguments of the named tools, or of all", async () => {
    const inputsOf = async (clearedInputs: ClearToolUses["clearedInputs"]) =>
      (await apply(calls, [clearing({ clearedInputs })])).request.messages.flatMap(({ toolCalls = [] }) =>
        toolCalls.flatMap((call) => (call.arguments === "{}" ? [call.id] : [])),
      );
    expect(await inputsOf([])).toEqual([]);
    expect(await inputsOf(["look"])).toEqual(["a", "c"]);
    expect(await inputsOf("all")).toEqual(["a", "b", "c"]);
  });

  it("is done above its trigger only, and for a prompt that does not fit at all", async () => {
    const trigger = (type: "input-tokens" | "tool-uses", value: number) => [
      clearing({ trigger: { type, value } }),
    ];
    const tokens = words(textOf(requestOf(calls)));
    expect((await apply(calls, trigger("tool-uses", 4))).applied).toEqual([]);
    expect((await apply(calls, trigger("tool-uses", 3))).applied).toHaveLength(1);
    expect((await apply(calls, trigger("input-tokens", tokens))).applied).toEqual([]);
    expect((await apply(calls, trigger("input-tokens", tokens - 1))).applied).toHaveLength(1);
    expect((await apply(calls, trigger("input-tokens", 100_000), 10)).applied).toHaveLength(1);
  });

  it("is not done when it would clear fewer tokens than it must", async () => {
    const [{ clearedTokens = 0 } = {}] = (await apply(calls, [clearing()])).applied;
    expect((await apply(calls, [clearing({ clearAtLeast: clearedTokens })])).applied).toHaveLength(1);
    const { request, applied } = await apply(calls, [clearing({ clearAtLeast: clearedTokens + 1 })]);
    expect(applied).toEqual([]);
    expect(request.messages).toEqual(calls);
  });
});

it("clearing thinking leaves that of the newest turns, or of all", async () => {
  const turns = [...callOf("a"), ...callOf("b"), ...callOf("c")];
  const left = async (keep: number | "all") =>
    (await apply(turns, [{ type: "clear-thinking", keep }])).request.messages.flatMap(({ reasoning }) =>
      reasoning === undefined ? [] : [reasoning],
    );
  expect(await left(1)).toEqual(["about c"]);
  expect(await left(2)).toEqual(["about b", "about c"]);
  expect(await left("all")).toEqual(["about a", "about b", "about c"]);
  const { applied } = await apply(turns, [{ type: "clear-thinking", keep: 1 }, clearing({ keep: 2 })]);
  expect(applied).toMatchObject([
    { type: "clear-thinking", cleared: 2, clearedTokens: 4 },
    { type: "clear-tool-uses", cleared: 1 },
  ]);
});

it("edits keep every message, every call and the newest results, and clear nothing twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(8), fc.nat(10), fc.nat(10), async (count, keep, keptTurns) => {
      const messages = Array.from({ length: count }, (_, at) => callOf(`call${at}`)).flat();
      const edits: readonly ContextEdit[] = [
        { type: "clear-thinking", keep: keptTurns + 1 },
        clearing({ keep }),
      ];
      const once = await apply(messages, edits);
      expect(once.request.messages).toHaveLength(messages.length);
      const results = (all: readonly Message[]) => all.filter(({ role }) => role === "tool");
      if (keep > 0)
        expect(results(once.request.messages).slice(-keep)).toEqual(results(messages).slice(-keep));
      const twice = await apply(once.request.messages, edits);
      expect(twice.request.messages).toEqual(once.request.messages);
    }),
    { numRuns: 50 },
  );
});
