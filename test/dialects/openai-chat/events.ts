/** Random answers as the engine tells them: several choices in any mixture, each with reasoning, text, calls and an end. */
import fc from "fast-check";
import type { FinishReason, GenerationEvent, SampledLogprob } from "../../../src/core/generation.js";

interface Said {
  readonly text: string;
  readonly tokens: number;
  readonly logprobs?: readonly SampledLogprob[];
}

export interface AnswerMade {
  readonly reasoning: readonly Said[];
  readonly texts: readonly Said[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
  }[];
  readonly finish: FinishReason;
}

/** Answers, and the events that tell them. */
export interface Answers {
  readonly answers: readonly AnswerMade[];
  readonly events: readonly GenerationEvent[];
}

const texts = fc.oneof(
  fc.constantFrom("", "a", "aa", "ab", "\n", "\n\n", " ", "🔥"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const logprob = fc.record({ text: texts, logprob: fc.integer({ min: -100, max: 0 }) }).map((each) => ({
  ...each,
  bytes: [...Buffer.from(each.text)],
}));
const sampled: fc.Arbitrary<SampledLogprob> = fc
  .tuple(logprob, fc.array(logprob, { maxLength: 3 }))
  .map(([each, top]) => ({ ...each, top }));
const said = fc.record({ text: texts, tokens: fc.nat(5) });
const saidWithLogprobs = fc
  .tuple(said, fc.array(sampled, { minLength: 1, maxLength: 3 }))
  .map(([each, logprobs]) => ({ ...each, logprobs }));
const call = fc.record({
  name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  pieces: fc.array(texts, { maxLength: 4 }),
});

const answerOf = (callsMax: number): fc.Arbitrary<AnswerMade & { readonly cut: boolean }> =>
  fc
    .record({
      reasoning: fc.array(said, { maxLength: 8 }),
      texts: fc.oneof(fc.array(said, { maxLength: 8 }), fc.array(saidWithLogprobs, { maxLength: 8 })),
      calls: fc.array(call, { maxLength: callsMax }),
      finish: fc.constantFrom<FinishReason>("stop", "stop_sequence", "length"),
      cut: fc.boolean(),
    })
    .map(({ calls, finish, cut, ...rest }) => ({
      ...rest,
      calls: calls.map((each, at) => ({ ...each, id: `call_${at}` })),
      // A call that the bound cut has no end of its own.
      cut: cut && finish === "length",
      finish: calls.length > 0 && finish === "stop" ? "tool_calls" : finish,
    }));

function eventsOf(answer: AnswerMade & { readonly cut: boolean }, choice: number): GenerationEvent[] {
  const { reasoning, texts: spoken, calls, finish, cut } = answer;
  return [
    ...reasoning.map((each) => ({ type: "reasoning-delta", choice, ...each }) as const),
    ...spoken.map((each) => ({ type: "text-delta", choice, ...each }) as const),
    ...calls.flatMap(({ id, name, pieces }, index): GenerationEvent[] => [
      { type: "tool-call-start", choice, index, id, name, tokens: 2 },
      ...pieces.map(
        (json) => ({ type: "tool-call-delta", choice, index, arguments: json, tokens: 1 }) as const,
      ),
      ...(cut && index === calls.length - 1
        ? []
        : [{ type: "tool-call-end", choice, index, tokens: 1 } as const]),
    ]),
    { type: "generation-end", choice, finishReason: finish, stopSequence: null },
  ];
}

/** Choices tell their events in their own order, side by side in any. */
export function answersOf({ choicesMax = 3, callsMax = 3 } = {}): fc.Arbitrary<Answers> {
  return fc
    .record({
      answers: fc.array(answerOf(callsMax), { minLength: 1, maxLength: choicesMax }),
      turns: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      promptTokens: fc.nat(1000),
    })
    .map(({ answers, turns, promptTokens }) => {
      const queues = answers.map(eventsOf);
      const events: GenerationEvent[] = [{ type: "generation-start", promptTokens, cachedTokens: 0 }];
      for (let step = 0; queues.some((queue) => queue.length > 0); step += 1) {
        const open = queues.filter((queue) => queue.length > 0);
        const event = open[(turns[step % turns.length] ?? 0) % open.length]?.shift();
        if (event !== undefined) events.push(event);
      }
      return { answers, events };
    });
}
