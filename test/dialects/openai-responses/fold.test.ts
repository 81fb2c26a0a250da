import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeEvents, type GenerationEvent } from "../../../src/core/generation.js";
import { responseEventSchema } from "../../../src/dialects/openai-responses/event-schema.js";
import { generationRequest } from "../../../src/dialects/openai-responses/parse.js";
import { readStoredItem, withIds } from "../../../src/dialects/openai-responses/items/items.js";
import { replayResponse, withIncludes } from "../../../src/dialects/openai-responses/replay.js";
import { responseSchema, type ResponseObject } from "../../../src/dialects/openai-responses/wire.js";
import { type Answer, answersOf, encoded } from "./events.js";
import { readStream, textOf } from "./reader.js";
import { identityOf, responseId } from "./requests.js";

const requests = fc.record({
  background: fc.boolean(),
  include: fc.constantFrom(undefined, ["reasoning.encrypted_content"]),
});
const answers = fc.oneof(answersOf(), answersOf({ logprobs: true }));
const sum = (text: readonly string[]): string => text.join("");

/** What was said, thought and called, of an answer as it was made up. */
function meant({ parts }: Answer) {
  const said = (kind: "text" | "reasoning") =>
    sum(parts.flatMap((part) => (part.kind === kind ? part.pieces : [])));
  return {
    text: said("text"),
    reasoning: said("reasoning"),
    calls: parts.flatMap((part) =>
      part.kind === "call" ? [{ id: part.id, name: part.name, arguments: sum(part.pieces) }] : [],
    ),
  };
}

/** The same of a response's items. */
function told({ output }: ResponseObject) {
  const said = (type: "message" | "reasoning") =>
    sum(output.map((item) => (item.type === type ? (textOf(item) ?? "") : "")));
  return {
    text: said("message"),
    reasoning: said("reasoning"),
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
    ),
  };
}

describe("a response, streamed and as JSON", () => {
  it("is the fold of its stream, whatever the events, their order and their end", () => {
    fc.assert(
      fc.property(requests, answers, (fields, answer) => {
        const { events, response } = encoded(identityOf(fields), answer);
        const { last, items } = readStream(events);
        expect(last).toEqual(response);
        expect(items).toEqual(response.output);
      }),
    );
  });

  it("loses nothing of what was said, thought and called, and adds nothing", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { response } = encoded(identityOf(), answer);
        expect(told(response)).toEqual(meant(answer));
        const tokens = (reasoning: boolean): number =>
          answer.events.reduce(
            (total, event) =>
              "tokens" in event && (event.type === "reasoning-delta") === reasoning
                ? total + event.tokens
                : total,
            0,
          );
        const { usage } = response;
        expect(usage?.output_tokens).toBe(tokens(true) + tokens(false));
        expect(usage?.output_tokens_details.reasoning_tokens).toBe(tokens(true));
        expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
      }),
    );
  });

  it("is of the shapes that its schemas say, with no key besides", () => {
    fc.assert(
      fc.property(requests, answers, (fields, answer) => {
        const { events, response } = encoded(identityOf(fields), answer);
        expect(responseSchema.parse(response)).toEqual(response);
        for (const event of events) expect(responseEventSchema.parse(event)).toEqual(event);
      }),
    );
  });

  it("has one item for each block, with ids that differ and are the same every time", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const [one, two] = [encoded(identityOf(), answer), encoded(identityOf(), answer)];
        expect(one).toEqual(two);
        const ids = one.response.output.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [at, item] of one.response.output.entries()) {
          const before = one.response.output[at - 1];
          if (item.type !== "function_call") expect(before?.type).not.toBe(item.type);
        }
      }),
    );
  });

  it("says the same to a reader that fell behind, whose deltas were joined", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const joined: GenerationEvent[] = [];
        for (const event of answer.events) {
          const last = joined.at(-1);
          const merged = last === undefined ? null : mergeEvents(last, event);
          if (merged === null) joined.push(event);
          else joined[joined.length - 1] = merged;
        }
        const { response } = encoded(identityOf(), { ...answer, events: joined });
        expect(response).toEqual(encoded(identityOf(), answer).response);
      }),
    );
  });

  it("marks as incomplete only the item that a bound, an error or a cancellation cut", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { output } = encoded(identityOf(), answer).response;
        for (const item of output.slice(0, -1)) expect(item.status).toBe("completed");
        const isWhole = ["stop", "stop_sequence", "tool_calls"].includes(answer.ending);
        if (isWhole) expect(output.at(-1)?.status ?? "completed").toBe("completed");
        else if (output.at(-1)?.type !== "function_call")
          expect(output.at(-1)?.status ?? "incomplete").toBe("incomplete");
      }),
    );
  });
});

describe("a stored response", () => {
  it("is told again as events that add up to the same response", () => {
    fc.assert(
      fc.property(requests, answers, (fields, answer) => {
        const { events, response } = encoded(identityOf(fields), answer);
        const replayed = replayResponse(response);
        const { last, items } = readStream(replayed);
        expect([last, items]).toEqual([response, response.output]);
        expect(replayed.filter((event) => "item" in event)).toEqual(
          events
            .filter((event) => "item" in event)
            .map((event) => ({ ...event, sequence_number: expect.any(Number) as number })),
        );
      }),
    );
  });

  it("is, once asked for with sealed reasoning, what it had been if asked for at first", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const include = ["reasoning.encrypted_content"];
        const plain = encoded(identityOf(), answer).response;
        expect(withIncludes(plain, include)).toEqual(encoded(identityOf({ include }), answer).response);
        expect(withIncludes(plain, ["message.output_text.logprobs"])).toBe(plain);
      }),
    );
  });

  it("gives back, as the conversation of the next, what was said, thought and called", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { request } = identityOf();
        const { response } = encoded(identityOf(), answer);
        const stored = withIds(
          response.output.map((item) => readStoredItem(JSON.stringify(item))),
          responseId,
        );
        expect(stored.map(({ id }) => id)).toEqual(response.output.map(({ id }) => id));
        const { messages } = generationRequest(request, stored);
        expect(messages.every(({ role }) => role === "assistant")).toBe(true);
        const said = {
          text: sum(messages.map(({ content }) => content)),
          reasoning: sum(messages.map(({ reasoning }) => reasoning ?? "")),
          calls: messages.flatMap(({ toolCalls }) => toolCalls ?? []),
        };
        expect(said).toEqual(meant(answer));
      }),
    );
  });
});
