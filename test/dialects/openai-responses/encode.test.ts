import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HearthError, type ErrorKind } from "../../../src/core/errors.js";
import type { FinishReason, GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";
import { createResponseEncoder } from "../../../src/dialects/openai-responses/encode.js";
import { responsesErrorEvent } from "../../../src/dialects/openai-responses/errors.js";
import {
  responsesErrorEventSchema,
  type ResponseEvent,
} from "../../../src/dialects/openai-responses/event-schema.js";
import { replayResponse } from "../../../src/dialects/openai-responses/replay.js";
import { doneFrame, eventFrame } from "../../../src/dialects/sse.js";
import { type Answer, encoded } from "./events.js";
import { statusOf } from "./reader.js";
import { identityOf, weather } from "./requests.js";
import { usageCounter } from "../../kit/scripted/run-events.js";

const start = { type: "generation-start", promptTokens: 21, cachedTokens: 8 } as const;
const reasoning = (text: string): GenerationEvent => ({
  type: "reasoning-delta",
  choice: 0,
  text,
  tokens: 4,
});
const text = (text: string): GenerationEvent => ({ type: "text-delta", choice: 0, text, tokens: 1 });
const end = (finishReason: FinishReason): GenerationEvent => ({
  type: "generation-end",
  choice: 0,
  finishReason,
  stopSequence: null,
});

const thought = [reasoning("One word"), reasoning(" is enough."), text("Bl"), text(""), text("ue –\n")];
const called: readonly GenerationEvent[] = [
  text("A moment."),
  { type: "tool-call-start", choice: 0, index: 0, id: "call_10", name: "get_weather", tokens: 6 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '{"city": ', tokens: 3 },
  { type: "tool-call-delta", choice: 0, index: 0, arguments: '"Köln"}', tokens: 4 },
  { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
  { type: "tool-call-start", choice: 0, index: 1, id: "call_11", name: "get_weather", tokens: 6 },
  { type: "tool-call-end", choice: 0, index: 1, tokens: 2 },
];
const withEncryptedReasoning = { include: ["reasoning.encrypted_content"] };
const everything = {
  instructions: "Be brief.",
  previous_response_id: "resp_0193a1c1",
  tools: [weather],
  tool_choice: { type: "function", name: "get_weather" },
  parallel_tool_calls: false,
  text: { format: { type: "json_schema", name: "answer", schema: { type: "object" } }, verbosity: "low" },
  reasoning: { effort: "high", summary: "auto" },
  metadata: { colour: "blue" },
  temperature: 0.5,
  top_p: 0.9,
  top_logprobs: 2,
  max_output_tokens: 64,
  max_tool_calls: 3,
  truncation: "auto",
  user: "ada",
  safety_identifier: "s",
  prompt_cache_key: "p",
  store: false,
};

/** Answers by the name of their transcript. */
const answers: Readonly<Record<string, [fields: object, answer: Pick<Answer, "events" | "ending">]>> = {
  reasoning: [
    withEncryptedReasoning,
    { events: [start, ...thought, end("stop_sequence")], ending: "stop_sequence" },
  ],
  calls: [everything, { events: [start, ...called, end("tool_calls")], ending: "tool_calls" }],
  cut: [{}, { events: [start, text("Blue is"), end("length")], ending: "length" }],
  failed: [{}, { events: [start, text("Blue is")], ending: "failed" }],
  cancelled: [{ background: true }, { events: [start, reasoning("One word")], ending: "cancelled" }],
  background: [{ background: true }, { events: [start, text("Blue."), end("stop")], ending: "stop" }],
};

function transcript(events: readonly ResponseEvent[]): string {
  return events.map((event) => eventFrame(event.type, event)).join("") + doneFrame;
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/openai-responses/${name}.txt`, import.meta.url), "utf8");
}

function encodeStream(fields: object, events: readonly GenerationEvent[], ending: Answer["ending"] = "stop") {
  return encoded(identityOf(fields), { events, ending });
}

describe("golden transcripts", () => {
  it.each(Object.entries(answers))("of %s match byte for byte", (name, [fields, answer]) => {
    expect(transcript(encoded(identityOf(fields), answer).events)).toBe(fixture(name));
  });

  it("of a replayed response have one delta for each part", () => {
    const [fields, answer] = answers["reasoning"] ?? [{}, { events: [], ending: "stop" }];
    const { response } = encoded(identityOf(fields), answer);
    expect(transcript(replayResponse(response))).toBe(fixture("replay"));
  });
});

describe("a response", () => {
  it.each([
    ["stop", "completed", null, 1795219303],
    ["stop_sequence", "completed", null, 1795219303],
    ["tool_calls", "completed", null, 1795219303],
    ["length", "incomplete", { reason: "max_output_tokens" }, null],
  ] as const)("that finishes with %s has the status %s", (finish, status, details, completedAt) => {
    const { events, response } = encodeStream({}, [start, text("Blue"), end(finish)]);
    expect(response).toMatchObject({ status, incomplete_details: details, completed_at: completedAt });
    expect(events.at(-1)?.type).toBe(`response.${status}`);
  });

  it("always equals the sum of its events so far, and has usage once it has ended", () => {
    const encoder = createResponseEncoder(identityOf({ background: true }));
    const counted = usageCounter();
    expect(encoder.response()).toMatchObject({ status: "queued", output: [], usage: null });
    encoder.open();
    encoder.add(counted(start));
    expect(encoder.response()).toMatchObject({ status: "in_progress", output: [], usage: null });
    encoder.add(counted(text("Bl")));
    encoder.add(counted(text("ue")));
    const running = encoder.response();
    expect(running).toMatchObject({ status: "in_progress", usage: null });
    expect(running.output).toMatchObject([{ status: "in_progress", content: [{ text: "Blue" }] }]);
    encoder.add(counted(end("stop")));
    expect(running.output).toMatchObject([{ status: "in_progress" }]);
    expect(encoder.response().usage).toEqual({
      input_tokens: 21,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 23,
      num_sources_used: 0,
      num_server_side_tools_used: 0,
      cost_in_usd_ticks: 13 * 20 + 8 * 5 + 2 * 20,
    });
  });

  it("includes encrypted_content only in finished reasoning items and leaves the visible text unchanged", () => {
    const encoder = createResponseEncoder(identityOf(withEncryptedReasoning));
    const counted = usageCounter();
    const likely: SampledLogprob = { text: "Bl", bytes: [66, 108], logprob: 0, top: [] };
    const shown = [start, reasoning("One word"), { ...text("Bl"), logprobs: [likely] }].map((event) => {
      encoder.add(counted(event));
      return encoder.response().output;
    });
    encoder.add(counted({ ...text("ue"), logprobs: [likely] } as GenerationEvent));
    expect(JSON.stringify(shown[1]?.[0])).not.toContain("encrypted_content");
    expect(JSON.stringify(shown[2]?.[0])).toContain("encrypted_content");
    const token = { token: "Bl", logprob: 0, bytes: [66, 108], top_logprobs: [] };
    const part = { type: "output_text", text: "Bl", annotations: [], logprobs: [token] };
    expect(shown[2]?.flatMap((item) => (item.type === "message" ? item.content : []))).toEqual([part]);
  });

  it("emits no events after it has ended", () => {
    const encoder = createResponseEncoder(identityOf());
    const counted = usageCounter();
    encoder.open();
    for (const event of [start, text("Blue"), end("stop")]) encoder.add(counted(event));
    const response = encoder.response();
    const error = new HearthError("internal", "Too late.");
    expect([encoder.add(counted(text("!"))), encoder.fail(error), encoder.cancel()]).toEqual([[], [], []]);
    expect(encoder.response()).toEqual(response);
  });

  it("that is cancelled or fails in the queue has zero usage", () => {
    for (const ending of ["cancelled", "failed"] as const) {
      const { events, response } = encodeStream({ background: true }, [], ending);
      expect(response).toMatchObject({ status: ending, output: [], usage: { total_tokens: 0 } });
      const last = ending === "failed" ? "response.failed" : "response.incomplete";
      expect(events.map(({ type }) => type)).toEqual(["response.created", "response.queued", last]);
    }
  });

  it.each<[ErrorKind, string]>([
    ["internal", "server_error"],
    ["overloaded", "server_error"],
    ["context_length_exceeded", "context_length_exceeded"],
    ["rate_limited", "rate_limit_exceeded"],
  ])("that fails with %s has the code %s and the public message", (kind, code) => {
    const encoder = createResponseEncoder(identityOf());
    encoder.open();
    encoder.fail(new HearthError(kind, "Public words.", { cause: new Error("secret") }));
    expect(encoder.response().error).toEqual({
      code,
      message: expect.stringMatching(/^Public words\./) as string,
    });
    expect(JSON.stringify(encoder.response())).not.toContain("secret");
  });

  it("starts a new text item after a tool call and after reasoning", () => {
    const { output } = encodeStream({}, [start, ...called, ...thought, text("!"), end("stop")]).response;
    expect(output.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call",
      "reasoning",
      "message",
    ]);
  });

  it("marks a tool call as incomplete if another item starts before its end", () => {
    const open = called.slice(0, 3);
    const { output } = encodeStream({}, [start, ...open, text("Well."), end("stop")]).response;
    expect(output.map(statusOf)).toEqual(["completed", "incomplete", "completed"]);
  });

  it("ignores arguments and ends of tool calls that are not open", () => {
    const stray: readonly GenerationEvent[] = [
      { type: "tool-call-delta", choice: 0, index: 0, arguments: "{}", tokens: 1 },
      { type: "tool-call-end", choice: 0, index: 0, tokens: 1 },
    ];
    expect(encodeStream({}, [start, ...stray, end("stop")]).response.output).toEqual([]);
  });

  it("sends log probabilities with each text delta and all of them at the end of the text", () => {
    const token = (each: string): SampledLogprob => {
      const named = { text: each, bytes: [...Buffer.from(each)], logprob: -0.25 };
      return { ...named, top: [named] };
    };
    const deltas = ["Bl", "ue"].map(
      (each) => ({ ...text(each), logprobs: [token(each)] }) as GenerationEvent,
    );
    const { events, response } = encodeStream({}, [start, ...deltas, end("stop")]);
    const wire = ["Bl", "ue"].map((each) => {
      const named = { token: each, logprob: -0.25, bytes: [...Buffer.from(each)] };
      return { ...named, top_logprobs: [named] };
    });
    const deltasTold = events.flatMap((event) =>
      event.type === "response.output_text.delta" ? [event] : [],
    );
    expect(deltasTold.map(({ delta, logprobs }) => [delta, logprobs])).toEqual([
      ["Bl", [wire[0]]],
      ["ue", [wire[1]]],
    ]);
    expect(response.output).toMatchObject([{ content: [{ text: "Blue", logprobs: wire }] }]);
  });
});

describe("an error event that replaces the rest of a stream", () => {
  it("contains the error both flat and nested", () => {
    const error = new HearthError("internal", "boom", { cause: "secret" });
    const event = responsesErrorEvent(error, 7);
    expect(event).toEqual({
      type: "error",
      sequence_number: 7,
      code: "internal_error",
      message: "boom",
      param: null,
      error: { type: "server_error", code: "internal_error", message: "boom", param: null },
    });
    expect(responsesErrorEventSchema.parse(event)).toEqual(event);
  });
});
