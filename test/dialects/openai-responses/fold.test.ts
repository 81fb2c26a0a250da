import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation.js";
import { mergeEvents } from "../../../src/core/requests/event-merging.js";
import { responseEventSchema } from "../../../src/dialects/openai-responses/event-schema.js";
import { generationRequest } from "../../../src/dialects/openai-responses/parse.js";
import { readStoredItem, withIds } from "../../../src/dialects/openai-responses/items/items.js";
import { replayResponse, withIncludes } from "../../../src/dialects/openai-responses/replay.js";
import {
  responseSchema,
  type ResponseObject,
} from "../../../src/dialects/openai-responses/response-schema.js";
import { type Answer, answersOf, encoded } from "./events.js";
import { readStream, statusOf, textOf } from "./reader.js";
import { identityOf, responseId } from "./requests.js";

const requests = fc.record({
  background: fc.boolean(),
  include: fc.constantFrom(undefined, ["reasoning.encrypted_content"]),
});
const answers = fc.oneof(answersOf(), answersOf({ logprobs: true }));
const sum = (text: readonly string[]): string => text.join("");

/** Returns the texts, reasoning and tool calls of a generated answer. */
function expectedContent({ parts }: Answer) {
  const joinedText = (kind: "text" | "reasoning") =>
    sum(parts.flatMap((part) => (part.kind === kind ? part.pieces : [])));
  return {
    text: joinedText("text"),
    reasoning: joinedText("reasoning"),
    calls: parts.flatMap((part) =>
      part.kind === "call" ? [{ id: part.id, name: part.name, arguments: sum(part.pieces) }] : [],
    ),
  };
}

/** Returns the texts, reasoning and tool calls of a response's items. */
function actualContent({ output }: ResponseObject) {
  const joinedText = (type: "message" | "reasoning") =>
    sum(output.map((item) => (item.type === type ? (textOf(item) ?? "") : "")));
  return {
    text: joinedText("message"),
    reasoning: joinedText("reasoning"),
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.call_id, name: item.name, arguments: item.arguments }] : [],
    ),
  };
}

const lastStatus = (output: ResponseObject["output"]): string | undefined => output.map(statusOf).at(-1);

describe("a response, streamed and as JSON", () => {
  it("is the same in both forms for all events, orders and ends", () => {
    fc.assert(
      fc.property(requests, answers, (fields, answer) => {
        const { events, response } = encoded(identityOf(fields), answer);
        const { last, items } = readStream(events);
        expect(last).toEqual(response);
        expect(items).toEqual(response.output);
      }),
    );
  });

  it("contains exactly the texts, reasoning and tool calls of the events", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { response } = encoded(identityOf(), answer);
        expect(actualContent(response)).toEqual(expectedContent(answer));
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

  it("matches its schemas, without additional keys", () => {
    fc.assert(
      fc.property(requests, answers, (fields, answer) => {
        const { events, response } = encoded(identityOf(fields), answer);
        expect(responseSchema.parse(response)).toEqual(response);
        for (const event of events) expect(responseEventSchema.parse(event)).toEqual(event);
      }),
    );
  });

  it("has one item for each block, with unique and reproducible ids", () => {
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

  it("has the same content for a slow reader whose deltas were joined", () => {
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

  it("marks only the item as incomplete that a limit, an error or a cancellation truncated", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { output } = encoded(identityOf(), answer).response;
        for (const item of output.slice(0, -1)) expect(statusOf(item)).toBe("completed");
        const isWhole = ["stop", "stop_sequence", "tool_calls"].includes(answer.ending);
        if (isWhole) expect(lastStatus(output) ?? "completed").toBe("completed");
        else if (output.at(-1)?.type !== "function_call")
          expect(lastStatus(output) ?? "incomplete").toBe("incomplete");
      }),
    );
  });
});

describe("a stored response", () => {
  it("is replayed as events that result in the same response", () => {
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

  it("retrieved with encrypted reasoning equals one that was created with it", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const include = ["reasoning.encrypted_content"];
        const plain = encoded(identityOf(), answer).response;
        expect(withIncludes(plain, include)).toEqual(encoded(identityOf({ include }), answer).response);
        expect(withIncludes(plain, ["message.output_text.logprobs"])).toBe(plain);
      }),
    );
  });

  it("passes its texts, reasoning and tool calls to the conversation of the next response", () => {
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
        const content = {
          text: sum(messages.map(({ content }) => content)),
          reasoning: sum(messages.map(({ reasoning }) => reasoning ?? "")),
          calls: messages.flatMap(({ toolCalls }) => toolCalls ?? []),
        };
        expect(content).toEqual(expectedContent(answer));
      }),
    );
  });
});
