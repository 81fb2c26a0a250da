/** Random event sequences of an engine: reasoning, texts and tool calls in any order, in several deltas, with any kind of end. */
import fc from "fast-check";
import { HearthError } from "../../../src/core/errors.js";
import type { FinishReason, GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";
import {
  createResponseEncoder,
  type ResponseIdentity,
} from "../../../src/dialects/openai-responses/encode.js";
import type { ResponseEvent } from "../../../src/dialects/openai-responses/event-schema.js";
import type { ResponseObject } from "../../../src/dialects/openai-responses/response-schema.js";
import { runEvents } from "../../kit/scripted/run-events.js";

export type Part =
  | { readonly kind: "reasoning"; readonly pieces: readonly string[] }
  | { readonly kind: "text"; readonly pieces: readonly string[] }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export type Ending = FinishReason | "failed" | "cancelled";

export interface Answer {
  readonly parts: readonly Part[];
  readonly events: readonly GenerationEvent[];
  readonly ending: Ending;
}

const deltaTexts = fc.oneof(
  fc.constantFrom("", "a", "ab", "\n\n", " ", "🔥", '{"a":'),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const partOf: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant("reasoning" as const), pieces: fc.array(deltaTexts, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant("text" as const), pieces: fc.array(deltaTexts, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant("call" as const),
    id: fc.string({ unit: "grapheme", maxLength: 6 }).map((id) => `call_${id}`),
    name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
    pieces: fc.array(deltaTexts, { maxLength: 4 }),
  }),
);

/** Answers with one choice; with `logprobs`, some text deltas have log probabilities. */
export function answersOf({ logprobs = false } = {}): fc.Arbitrary<Answer> {
  return fc
    .record({
      parts: fc.array(partOf, { maxLength: 6 }),
      ending: fc.constantFrom<Ending>("stop", "stop_sequence", "length", "failed", "cancelled"),
      cut: fc.boolean(),
      promptTokens: fc.nat(1000),
    })
    .map(({ parts, ending, cut, promptTokens }) => {
      const calls = parts.some(({ kind }) => kind === "call");
      const end = calls && ending === "stop" ? "tool_calls" : ending;
      const isCut = cut && !["stop", "stop_sequence", "tool_calls"].includes(end);
      const partEvents = eventsOf(parts, isCut, logprobs);
      const start = { type: "generation-start", promptTokens, cachedTokens: promptTokens >> 1 } as const;
      const last: GenerationEvent[] =
        end === "failed" || end === "cancelled"
          ? []
          : [{ type: "generation-end", choice: 0, finishReason: end, stopSequence: null }];
      return { parts, events: [start, ...partEvents, ...last], ending: end };
    });
}

/** Encodes an answer and returns the stream events and the final response. */
export function encoded(
  identity: ResponseIdentity,
  { events, ending }: Pick<Answer, "events" | "ending">,
): { readonly events: readonly ResponseEvent[]; readonly response: ResponseObject } {
  const encoder = createResponseEncoder(identity);
  const streamEvents = [...encoder.open(), ...runEvents(events).flatMap((event) => encoder.add(event))];
  if (ending === "failed")
    streamEvents.push(...encoder.fail(new HearthError("internal", "The engine stopped.")));
  if (ending === "cancelled") streamEvents.push(...encoder.cancel());
  return { events: streamEvents, response: encoder.response() };
}

function eventsOf(parts: readonly Part[], cut: boolean, logprobs: boolean): GenerationEvent[] {
  const calls = parts.filter(({ kind }) => kind === "call");
  return parts.flatMap((part): GenerationEvent[] => {
    if (part.kind === "reasoning")
      return part.pieces.map((text) => ({ type: "reasoning-delta", choice: 0, text, tokens: 2 }));
    if (part.kind === "text")
      return part.pieces.map((text, at) => ({
        type: "text-delta",
        choice: 0,
        text,
        tokens: 1,
        ...(logprobs && at % 2 === 0 ? { logprobs: [sampled(text)] } : {}),
      }));
    const [index, { id, name }] = [calls.indexOf(part), part];
    return [
      { type: "tool-call-start", choice: 0, index, id, name, tokens: 3 },
      ...part.pieces.map(
        (json) => ({ type: "tool-call-delta", choice: 0, index, arguments: json, tokens: 1 }) as const,
      ),
      ...(cut && part === parts.at(-1)
        ? []
        : [{ type: "tool-call-end", choice: 0, index, tokens: 1 } as const]),
    ];
  });
}

function sampled(text: string): SampledLogprob {
  const token = { text, bytes: [...Buffer.from(text)], logprob: -0.5 };
  return { ...token, top: [token] };
}
