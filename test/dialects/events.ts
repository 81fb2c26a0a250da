/**
 * Random valid event sequences of an engine: several interleaved choices, each with reasoning, text and tool calls in any order
 * and an end. Every dialect is tested with the same sequences, as far as it supports their content.
 */
import { mergeEvents } from "../../src/core/requests/event-merging.js";
import fc from "fast-check";
import { type FinishReason, type GenerationEvent, type SampledLogprob } from "../../src/core/generation.js";

export interface GeneratedText {
  readonly type: "reasoning" | "text";
  readonly text: string;
  readonly tokens: number;
  readonly logprobs?: readonly SampledLogprob[];
}

export interface GeneratedCall {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  /** Parts of the JSON text of its arguments. */
  readonly pieces: readonly string[];
  /** Whether the token limit truncated it: its arguments are incomplete, and it has no end event. */
  readonly cut: boolean;
}

export interface GeneratedAnswer {
  readonly parts: readonly (GeneratedText | GeneratedCall)[];
  readonly finish: FinishReason;
  readonly stopSequence: string | null;
}

/** Answers and their events. */
export interface Answers {
  readonly answers: readonly GeneratedAnswer[];
  readonly events: readonly GenerationEvent[];
}

export interface AnswersShape {
  /** Choices of each prompt; default 3. */
  readonly choicesMax?: number;
  /** Tool calls of an answer; default 3, none with `textOnly`. */
  readonly callsMax?: number;
  /** Deltas of reasoning and text together; default 12. */
  readonly piecesMax?: number;
  /** Default 1. */
  readonly promptsMax?: number;
  /** Neither reasoning nor tool calls, as with raw prompts. */
  readonly textOnly?: boolean;
}

/** The events of each choice keep their order; events of different choices are interleaved in any order. */
export function answersOf(shape: AnswersShape = {}): fc.Arbitrary<Answers> {
  const { choicesMax = 3, promptsMax = 1 } = shape;
  return fc
    .record({
      prompts: fc.integer({ min: 1, max: promptsMax }),
      each: fc.integer({ min: 1, max: choicesMax }),
    })
    .chain(({ prompts, each }) =>
      fc.record({
        answers: fc.array(answerOf(shape), { minLength: prompts * each, maxLength: prompts * each }),
        turns: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        starts: fc.array(start, { minLength: prompts, maxLength: prompts }),
      }),
    )
    .map(({ answers, turns, starts }) => {
      const each = answers.length / starts.length;
      const queues = answers.map(eventsOf);
      const events: GenerationEvent[] = [];
      const waiting: (GenerationEvent | null)[] = [...starts];
      for (let step = 0; queues.some((queue) => queue.length > 0); step += 1) {
        const open = queues.flatMap((queue, choice) => (queue.length > 0 ? [choice] : []));
        const choice = open[(turns[step % turns.length] ?? 0) % open.length] ?? 0;
        const prompt = Math.floor(choice / each);
        events.push(...[waiting[prompt], queues[choice]?.shift()].flatMap((event) => event ?? []));
        waiting[prompt] = null;
      }
      return { answers, events };
    });
}

/** Joins deltas as for a slow reader. */
export function joinDeltas(events: readonly GenerationEvent[]): readonly GenerationEvent[] {
  const all: GenerationEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const merged = last === undefined ? null : mergeEvents(last, event);
    if (merged === null) all.push(event);
    else all[all.length - 1] = merged;
  }
  return all;
}

/** Returns the joined text of one kind. */
export function textOf({ parts }: GeneratedAnswer, type: GeneratedText["type"]): string {
  return parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
}

export function callsOf({ parts }: GeneratedAnswer): readonly GeneratedCall[] {
  return parts.filter((part) => part.type === "call");
}

/** Counts the sampled tokens of the events, of reasoning or of everything else. */
export function tokensOf(events: readonly GenerationEvent[], kind: "reasoning" | "rest"): number {
  return events.reduce(
    (sum, event) =>
      "tokens" in event && (event.type === "reasoning-delta") === (kind === "reasoning")
        ? sum + event.tokens
        : sum,
    0,
  );
}

const start = fc
  .record({ prompt: fc.nat(1000), cached: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ prompt, cached }): GenerationEvent => ({
    type: "generation-start",
    promptTokens: prompt,
    cachedTokens: Math.floor(prompt * cached),
  }));
const texts = fc.oneof(
  fc.constantFrom("", "a", "aa", "aaa", "ab", "\n", "\n\n", " ", "🔥", "🔥🔥", "{", "<think>"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const logprob = fc.record({ text: texts, logprob: fc.integer({ min: -100, max: 0 }) }).map((each) => ({
  ...each,
  bytes: [...Buffer.from(each.text)],
}));
const sampled: fc.Arbitrary<SampledLogprob> = fc
  .tuple(logprob, fc.array(logprob, { maxLength: 3 }))
  .map(([each, top]) => ({ ...each, top }));
const generatedText = (type: GeneratedText["type"]): fc.Arbitrary<GeneratedText> =>
  fc.record({ type: fc.constant(type), text: texts, tokens: fc.nat(5) });
const textWithLogprobs: fc.Arbitrary<GeneratedText> = fc
  .tuple(generatedText("text"), fc.array(sampled, { minLength: 1, maxLength: 3 }))
  .map(([each, logprobs]) => ({ ...each, logprobs }));
const call: fc.Arbitrary<GeneratedCall> = fc
  .record({
    name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
    given: fc.dictionary(texts, fc.oneof(texts, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
    cuts: fc.array(fc.nat(30), { maxLength: 3 }),
  })
  .map(({ name, given, cuts }) => ({ type: "call", id: "", name, cut: false, pieces: slices(given, cuts) }));

function slices(given: object, cuts: readonly number[]): readonly string[] {
  const json = JSON.stringify(given);
  const ends = [...cuts.toSorted((a, b) => a - b), json.length];
  return ends.map((end, at) => json.slice(ends[at - 1] ?? 0, end));
}

/** Either all text deltas of an answer have log probabilities or none. */
function answerOf({
  callsMax = 3,
  piecesMax = 12,
  textOnly = false,
}: AnswersShape): fc.Arbitrary<GeneratedAnswer> {
  const pieces = (text: fc.Arbitrary<GeneratedText>) =>
    fc.array(textOnly ? text : fc.oneof(generatedText("reasoning"), text), { maxLength: piecesMax });
  return fc
    .record({
      pieces: fc.oneof(pieces(generatedText("text")), pieces(textWithLogprobs)),
      calls: fc.array(fc.tuple(fc.nat(piecesMax), call), { maxLength: textOnly ? 0 : callsMax }),
      reasonFirst: fc.boolean(),
      finish: fc.constantFrom<FinishReason>("stop", "stop_sequence", "length"),
      cut: fc.boolean(),
    })
    .map(({ pieces: said, calls, reasonFirst, finish, cut }) => {
      const parts: (GeneratedText | GeneratedCall)[] = reasonFirst
        ? said.toSorted((a, b) => Number(a.type === "text") - Number(b.type === "text"))
        : [...said];
      for (const [at, each] of calls) parts.splice(at, 0, each);
      const last = parts.at(-1);
      if (cut && finish === "length" && last?.type === "call")
        parts[parts.length - 1] = { ...last, cut: true, pieces: last.pieces.slice(0, -1) };
      const called = calls.length > 0 && finish === "stop";
      const stopSequence = finish === "stop_sequence" ? "END" : null;
      return { parts: numbered(parts), finish: called ? "tool_calls" : finish, stopSequence };
    });
}

function numbered(
  parts: readonly (GeneratedText | GeneratedCall)[],
): readonly (GeneratedText | GeneratedCall)[] {
  let calls = 0;
  return parts.map((part) => (part.type === "call" ? { ...part, id: `call_${calls++}` } : part));
}

function eventsOf({ parts, finish, stopSequence }: GeneratedAnswer, choice: number): GenerationEvent[] {
  let index = -1;
  return [
    ...parts.flatMap((part): GenerationEvent[] => {
      if (part.type !== "call") return [{ ...part, type: `${part.type}-delta`, choice }];
      index += 1;
      const of = { choice, index };
      return [
        { type: "tool-call-start", ...of, id: part.id, name: part.name, tokens: 2 },
        ...part.pieces.map(
          (json) => ({ type: "tool-call-delta", ...of, arguments: json, tokens: 1 }) as const,
        ),
        ...(part.cut ? [] : [{ type: "tool-call-end", ...of, tokens: 1 } as const]),
      ];
    }),
    { type: "generation-end", choice, finishReason: finish, stopSequence },
  ];
}
