/**
 * One choice of a run: a job on a slot, from its start to its end. Where the rules of the answer allow more than the request does,
 * the answer is held back until it was validated, and generated again when it is invalid; otherwise it is emitted as it comes.
 */
import type { DecodeJob, Engine } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { FinishReason, GenerationEnd, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { AnswerValidator, CompletedAnswer } from "./answer-rules.js";

/** Attempts at one answer, the first included. */
const attemptsMax = 3;

export interface Choice {
  readonly index: number;
  readonly model: Model;
  readonly job: DecodeJob;
  readonly validator: AnswerValidator;
  readonly signal: AbortSignal;
  /** Takes every event but the end, with the number of this choice. */
  readonly emit: (event: GenerationEvent) => void;
}

/**
 * Generates the answer. @returns its end, or null when it was aborted.
 * @throws HearthError `invalid_output` when no attempt is valid.
 */
export async function generateChoice(engine: Engine, choice: Choice): Promise<GenerationEnd | null> {
  for (let attempt = 1; ; attempt += 1) {
    const { end, problem } = await attemptChoice(engine, choice, attempt);
    if (end === null || problem === null) return end;
    if (choice.validator.exact || attempt >= attemptsMax) throw invalidOutput(problem, attempt);
  }
}

interface Attempt {
  readonly end: GenerationEnd | null;
  /** Why the answer is invalid; null when it is valid or was cut. */
  readonly problem: string | null;
}

async function attemptChoice(engine: Engine, choice: Choice, attempt: number): Promise<Attempt> {
  const { validator, model, signal, emit } = choice;
  const answer = new AnswerFold();
  const held: GenerationEvent[] = [];
  let end: GenerationEnd | null = null;
  const events = engine.generate(model, jobForAttempt(choice.job, attempt), signal);
  try {
    for await (const engineEvent of events) {
      answer.add(engineEvent);
      const event =
        engineEvent.type === "generation-start" ? engineEvent : { ...engineEvent, choice: choice.index };
      if (event.type === "generation-end") end = event;
      else if (validator.exact) emit(event);
      else held.push(event);
    }
  } catch (thrown) {
    if (!validator.exact) for (const event of held) emit(event);
    await drain(events);
    throw thrown;
  }
  if (end === null && !signal.aborted) throw new Error("the engine's stream ended without generation-end");
  const problem = end === null || end.finishReason === "length" ? null : await validator.check(answer);
  if (end?.finishReason !== "stop_sequence") {
    if (problem === null) for (const event of held) emit(event);
    return { end, problem };
  }
  for (const event of held) emit(event);
  return { end: { ...end, finishReason: finishReasonAtStop(answer, problem) }, problem: null };
}

/**
 * Returns the finish reason of an answer that a stop text ended. An answer that is not valid yet counts as cut, as by a token limit;
 * whole calls are calls, wherever the text ends.
 */
function finishReasonAtStop({ calls }: CompletedAnswer, problem: string | null): FinishReason {
  if (problem !== null) return "length";
  return calls.length > 0 ? "tool_calls" : "stop_sequence";
}

/** Reads to the end of the stream: the engine's slot is free only then. */
async function drain(events: AsyncIterable<GenerationEvent>): Promise<void> {
  try {
    for await (const event of events) void event;
  } catch {
    // The stream failed, too; it only matters that it has ended.
  }
}

/** The same job with another seed; a temperature of 0 would repeat the answer. */
function jobForAttempt(job: DecodeJob, attempt: number): DecodeJob {
  if (attempt === 1) return job;
  const { seed, temperature } = job.sampling;
  return {
    ...job,
    sampling: {
      ...job.sampling,
      seed: seed === null ? null : (seed + (attempt - 1) * 0x9e3779b9) >>> 0,
      temperature: Math.max(temperature, 0.7),
    },
  };
}

/** The answer, put together from its events. */
class AnswerFold implements CompletedAnswer {
  text = "";
  readonly calls: { name: string; arguments: string }[] = [];

  add(event: GenerationEvent): void {
    if (event.type === "text-delta") this.text += event.text;
    else if (event.type === "tool-call-start") this.calls.push({ name: event.name, arguments: "" });
    else if (event.type === "tool-call-delta") {
      const call = this.calls.at(-1);
      if (call !== undefined) call.arguments += event.arguments;
    }
  }
}

function invalidOutput(problem: string, attempts: number): HearthError {
  const times = attempts === 1 ? "" : ` in ${attempts} tries`;
  return new HearthError(
    "invalid_output",
    `The model's answer is not what was asked for${times}: ${problem}`,
  );
}
