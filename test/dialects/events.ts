/**
 * Random lawful answers as the engine tells them: several choices in any mixture, each of reasoning, text and calls in any
 * order and an end. Every dialect is held to the same ones, as far as it has a place for them.
 */
import fc from "fast-check";
import {
  mergeEvents,
  type FinishReason,
  type GenerationEvent,
  type SampledLogprob,
} from "../../src/core/generation.js";

export interface Said {
  readonly type: "reasoning" | "text";
  readonly text: string;
  readonly tokens: number;
  readonly logprobs?: readonly SampledLogprob[];
}

export interface Called {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  /** Of the JSON text of its arguments. */
  readonly pieces: readonly string[];
  /** The bound fell into it: its arguments are a beginning, and it has no end of its own. */
  readonly cut: boolean;
}

export interface AnswerMade {
  readonly parts: readonly (Said | Called)[];
  readonly finish: FinishReason;
  readonly stopSequence: string | null;
}

/** Answers, and the events that tell them. */
export interface Answers {
  readonly answers: readonly AnswerMade[];
  readonly events: readonly GenerationEvent[];
}

export interface AnswersShape {
  /** Of each prompt; 3 when absent. */
  readonly choicesMax?: number;
  /** Of an answer; 3 when absent, and none where there is only text. */
  readonly callsMax?: number;
  /** Of reasoning and text together; 12 when absent. */
  readonly piecesMax?: number;
  /** 1 when absent. */
  readonly promptsMax?: number;
  /** Neither reasoning nor calls, as of raw prompts. */
  readonly textOnly?: boolean;
}

/** Choices tell their events in their own order, side by side in any. */
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

/** The events as a reader meets them that fell behind. */
export function joined(events: readonly GenerationEvent[]): readonly GenerationEvent[] {
  const all: GenerationEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    const merged = last === undefined ? null : mergeEvents(last, event);
    if (merged === null) all.push(event);
    else all[all.length - 1] = merged;
  }
  return all;
}

/** What an answer says of one kind, in one piece. */
export function textOf({ parts }: AnswerMade, type: Said["type"]): string {
  return parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
}

export function callsOf({ parts }: AnswerMade): readonly Called[] {
  return parts.filter((part) => part.type === "call");
}

/** Tokens that the events sampled, of reasoning or of everything else. */
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
const said = (type: Said["type"]): fc.Arbitrary<Said> =>
  fc.record({ type: fc.constant(type), text: texts, tokens: fc.nat(5) });
const saidWithLogprobs: fc.Arbitrary<Said> = fc
  .tuple(said("text"), fc.array(sampled, { minLength: 1, maxLength: 3 }))
  .map(([each, logprobs]) => ({ ...each, logprobs }));
const call: fc.Arbitrary<Called> = fc
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

/** The text of an answer has log probabilities in all its pieces, or in none. */
function answerOf({
  callsMax = 3,
  piecesMax = 12,
  textOnly = false,
}: AnswersShape): fc.Arbitrary<AnswerMade> {
  const pieces = (text: fc.Arbitrary<Said>) =>
    fc.array(textOnly ? text : fc.oneof(said("reasoning"), text), { maxLength: piecesMax });
  return fc
    .record({
      pieces: fc.oneof(pieces(said("text")), pieces(saidWithLogprobs)),
      calls: fc.array(fc.tuple(fc.nat(piecesMax), call), { maxLength: textOnly ? 0 : callsMax }),
      reasonFirst: fc.boolean(),
      finish: fc.constantFrom<FinishReason>("stop", "stop_sequence", "length"),
      cut: fc.boolean(),
    })
    .map(({ pieces: said, calls, reasonFirst, finish, cut }) => {
      const parts: (Said | Called)[] = reasonFirst
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

function numbered(parts: readonly (Said | Called)[]): readonly (Said | Called)[] {
  let calls = 0;
  return parts.map((part) => (part.type === "call" ? { ...part, id: `call_${calls++}` } : part));
}

function eventsOf({ parts, finish, stopSequence }: AnswerMade, choice: number): GenerationEvent[] {
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
