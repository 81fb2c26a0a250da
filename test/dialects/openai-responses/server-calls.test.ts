import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerEvent, ServerCallResult } from "../../../src/core/tools/server-call.js";
import { HearthError } from "../../../src/core/errors.js";
import { addEvent, noUsage } from "../../../src/core/usage.js";
import { createResponseEncoder } from "../../../src/dialects/openai-responses/encode.js";
import {
  responseEventSchema,
  type ResponseEvent,
} from "../../../src/dialects/openai-responses/event-schema.js";
import { parseResponsesRequest } from "../../../src/dialects/openai-responses/parse.js";
import { replayResponse } from "../../../src/dialects/openai-responses/replay.js";
import { responseSchema, type OutputItem } from "../../../src/dialects/openai-responses/response-schema.js";
import { statusOf } from "./reader.js";
import { body, identityOf } from "./requests.js";

const identity = {
  ...identityOf(),
  request: parseResponsesRequest(body({ tools: [{ type: "image_generation" }] }), null, {
    imageGeneration: () => null,
  }),
};
const drawn: ServerCallResult = {
  failed: false,
  content: "It was drawn.",
  image: { base64: "aGVhcnRo", prompt: "a fox", format: "png", width: 64, height: 32 },
  costTicks: 7,
};
const failed: ServerCallResult = { failed: true, content: "It failed.", costTicks: 0 };

const turnOf = fc.record({
  text: fc.constantFrom("", "I draw."),
  isClients: fc.array(fc.boolean(), { maxLength: 4 }),
  results: fc.array(fc.constantFrom(drawn, failed, null), { minLength: 4, maxLength: 4 }),
  isReversed: fc.boolean(),
});
const answers = fc.record({
  turns: fc.array(turnOf, { minLength: 1, maxLength: 3 }),
  ending: fc.constantFrom("stop", "length", "failed", "cancelled"),
});
type Turn = typeof turnOf extends fc.Arbitrary<infer T> ? T : never;

/** A turn of a run: its text, its calls, then what the server does with its own; the calls are numbered over all turns. */
function eventsOf({ text, isClients, results, isReversed }: Turn, first: number): readonly AnswerEvent[] {
  const indexes = isClients.map((_, at) => first + at);
  const own = indexes.filter((index) => isClients[index - first] === false);
  const ends = isReversed ? own.toReversed() : own;
  return [
    { type: "generation-start", promptTokens: 5, cachedTokens: 0 },
    { type: "text-delta", choice: 0, text, tokens: 1 },
    ...indexes.flatMap((index): AnswerEvent[] => [
      {
        type: "tool-call-start",
        choice: 0,
        index,
        id: `call_${index}`,
        name: isClients[index - first] === true ? "f" : "image_generation",
        tokens: 1,
      },
      { type: "tool-call-delta", choice: 0, index, arguments: "{}", tokens: 1 },
      { type: "tool-call-end", choice: 0, index, tokens: 1 },
    ]),
    ...own.map((index): AnswerEvent => ({ type: "server-call-start", choice: 0, index })),
    ...ends.flatMap((index): AnswerEvent[] => {
      const result = results[index - first] ?? null;
      return result === null ? [] : [{ type: "server-call-end", choice: 0, index, result }];
    }),
  ];
}

function encoded({ turns, ending }: typeof answers extends fc.Arbitrary<infer T> ? T : never) {
  const encoder = createResponseEncoder(identity);
  let usage = noUsage;
  let first = 0;
  const events: AnswerEvent[] = turns.flatMap((turn) => {
    const own = eventsOf(turn, first);
    first += turn.isClients.length;
    return own;
  });
  if (ending === "stop" || ending === "length")
    events.push({ type: "generation-end", choice: 0, finishReason: ending, stopSequence: null });
  const written = [
    ...encoder.open(),
    ...events.flatMap((event) => {
      usage = addEvent(usage, event);
      return encoder.add({ ...event, usage });
    }),
    ...(ending === "failed" ? encoder.fail(new HearthError("internal", "It stopped.")) : []),
    ...(ending === "cancelled" ? encoder.cancel() : []),
  ];
  return { written, response: encoder.response(), results: events.flatMap((event) => resultIn(event)) };
}

function resultIn(event: AnswerEvent): readonly ServerCallResult[] {
  return event.type === "server-call-end" ? [event.result] : [];
}

/** Puts the items together as a client does. Every item is added before it is done, and both once. */
function itemsOf(events: readonly ResponseEvent[]): readonly OutputItem[] {
  const items: (OutputItem | null)[] = [];
  for (const event of events) {
    if (event.type === "response.output_item.added") {
      expect(event.output_index).toBe(items.length);
      items.push(null);
    } else if (event.type === "response.output_item.done") {
      expect(items[event.output_index]).toBe(null);
      items[event.output_index] = event.item;
    }
  }
  return items.flatMap((item) => item ?? []);
}

describe("a response with calls that the server executes", () => {
  it("is the same streamed, as JSON and replayed, in whatever order its calls end, or when they do not", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { written, response } = encoded(answer);
        expect(written.map(({ sequence_number: number }) => number)).toEqual(written.map((_, at) => at));
        const last = written.at(-1);
        expect(last !== undefined && "response" in last && last.response).toEqual(response);
        expect(itemsOf(written)).toEqual(response.output);
        expect(itemsOf(replayResponse(response))).toEqual(response.output);
        expect(responseSchema.parse(response)).toEqual(response);
        for (const event of written) expect(responseEventSchema.parse(event)).toEqual(event);
        for (const item of response.output)
          expect(["in_progress", "generating"]).not.toContain(statusOf(item));
      }),
    );
  });

  it("counts the tokens of all turns and the cost of every call", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { response, results, written } = encoded(answer);
        const { usage } = response;
        expect(usage?.input_tokens).toBe(5 * answer.turns.length);
        expect(usage?.num_server_side_tools_used).toBe(results.length);
        const images = results.filter((result) => result === drawn).length;
        const completed = written.filter(({ type }) => type === "response.image_generation_call.completed");
        expect(completed).toHaveLength(images);
        const own = 20 * ((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
        expect(usage?.cost_in_usd_ticks).toBe(own + 7 * images);
      }),
    );
  });
});
