/**
 * One generation in its slot: what is left of its prompt, what was sampled, and when to stop.
 *
 * Modes: prefill (prompt tokens left to evaluate) -> decode (a token a tick) -> finished. The tick loop calls `step` or
 * `prefill` once a tick and `cancel` between ticks; a failure finishes this generation and no other.
 */
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { asHearthError, type HearthError } from "../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../core/generation.js";
import { createAnswerText, type AnswerText } from "./answer-text.js";
import type { SeededJob } from "./protocol.js";
import type { Resident, SequenceSlot } from "./resident.js";

/** Sampling looks at the thousand likeliest tokens: the tail beyond costs a full sort of the vocabulary and is never met. */
const topK = 1000;

export interface Generation {
  readonly job: number;
  readonly mode: "prefill" | "decode" | "finished";
  /** Prompt tokens that wait for evaluation. */
  readonly promptLeft: number;
  /** Evaluates up to `budget` prompt tokens; the last part also samples the first token. @returns how many it took. */
  prefill(budget: number): { readonly taken: number; readonly done: Promise<void> };
  /** Samples one more token. */
  step(): Promise<void>;
  cancel(): Promise<void>;
  /** What happened since the last call. */
  takeEvents(): readonly GenerationEvent[];
  readonly error: HearthError | null;
}

interface State {
  readonly resident: Resident;
  readonly sequence: LlamaContextSequence;
  readonly decode: SeededJob;
  readonly text: AnswerText;
  readonly promptTokens: number;
  left: Token[];
  iterator: AsyncGenerator<Token, void, void> | null;
  readonly sampled: Token[];
  /** Sampled tokens outside the reasoning block. */
  visible: number;
  finished: boolean;
  error: HearthError | null;
  events: GenerationEvent[];
}

/**
 * Begins a generation in a slot whose sequence holds the first `cachedTokens` of the prompt.
 * The first event is `generation-start`.
 */
export function beginGeneration(
  resident: Resident,
  slot: SequenceSlot,
  job: number,
  decode: SeededJob,
  cachedTokens: number,
): Generation {
  const promptTokens = decode.prompt.tokens.length;
  const state: State = {
    resident,
    sequence: slot.sequence,
    decode,
    text: createAnswerText({
      reasoning: resident.model.manifest.capabilities.reasoning,
      startsInReasoning: decode.prompt.startsInReasoning,
      stop: decode.stop,
    }),
    promptTokens,
    left: Array.from(decode.prompt.tokens.subarray(cachedTokens)) as Token[],
    iterator: null,
    sampled: [],
    visible: 0,
    finished: false,
    error: null,
    events: [{ type: "generation-start", promptTokens, cachedTokens }],
  };
  return {
    job,
    get mode() {
      return state.finished ? "finished" : state.iterator === null ? "prefill" : "decode";
    },
    get promptLeft() {
      return state.left.length;
    },
    get error() {
      return state.error;
    },
    prefill(budget) {
      const chunk = state.left.splice(0, budget);
      return { taken: chunk.length, done: guarded(state, () => evaluate(state, chunk)) };
    },
    step: () => guarded(state, () => sample(state)),
    cancel: () => guarded(state, () => finish(state, null)),
    takeEvents() {
      const { events } = state;
      state.events = [];
      return events;
    },
  };
}

/** A failure is this generation's own: it is kept, and the sequence is cleared of whatever half-done state it has. */
async function guarded(state: State, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    state.error ??= asHearthError(thrown);
    state.finished = true;
    await state.sequence.clearHistory().catch(() => undefined);
  }
}

async function evaluate(state: State, chunk: Token[]): Promise<void> {
  if (state.left.length > 0) return state.sequence.evaluateWithoutGeneratingNewTokens(chunk);
  const { sampling, seed } = state.decode;
  state.iterator = state.sequence.evaluate(chunk, {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK,
    minP: 0,
    seed,
    yieldEogToken: true,
    ...(sampling.frequencyPenalty === 0 && sampling.presencePenalty === 0
      ? {}
      : { repeatPenalty: penaltyOver(state.sampled, sampling.frequencyPenalty, sampling.presencePenalty) }),
  });
  return sample(state);
}

function penaltyOver(sampled: Token[], frequencyPenalty: number, presencePenalty: number) {
  return { punishTokens: () => sampled, penalty: 1, frequencyPenalty, presencePenalty };
}

async function sample(state: State): Promise<void> {
  const next = await state.iterator?.next();
  if (next === undefined || next.done === true) return finish(state, "stop");
  const token = next.value;
  if (state.resident.weights.isEogToken(token)) return finish(state, "stop");
  state.sampled.push(token);
  state.events.push(...state.text.push(state.resident.tokenBytes.of(token)));
  if (!state.text.inReasoning) state.visible += 1;
  const ended = reasonToEnd(state);
  if (ended !== null) await finish(state, ended);
}

function reasonToEnd(state: State): FinishReason | null {
  if (state.text.stoppedBy !== null) return "stop_sequence";
  const { maxTokens, maxTokensExcludesReasoning } = state.decode;
  const counted = maxTokensExcludesReasoning ? state.visible : state.sampled.length;
  if (maxTokens !== null && counted >= maxTokens) return "length";
  return state.promptTokens + state.sampled.length >= state.resident.contextTokens ? "length" : null;
}

/** @param reason null when cancelled: what was produced is still told, but there is no `generation-end`. */
async function finish(state: State, reason: FinishReason | null): Promise<void> {
  if (state.finished) return;
  state.finished = true;
  await state.iterator?.return();
  state.events.push(...state.text.finish());
  if (reason === null) return;
  const { stoppedBy } = state.text;
  const finishReason = stoppedBy === null ? reason : "stop_sequence";
  state.events.push({ type: "generation-end", finishReason, stopSequence: stoppedBy });
}
