/**
 * One choice of a run: a job on a slot, from its start to its end. Where the rules of the answer allow more than the request does,
 * the answer is held back until it was validated, and generated again when it is invalid; otherwise it is emitted as it comes.
 */
import type { DecodeJob, Engine } from "../../../core/engine.js";
import { HearthError } from "../../../core/errors.js";
import type { EngineEvent, FinishReason, GenerationEnd, GenerationEvent } from "../../../core/generation.js";
import type { Model } from "../../../core/model.js";
import type { CountedTokens } from "../../../core/requests/counted-tokens.js";
import type { AnswerValidator, CompletedAnswer } from "./answer-rules.js";

/** Attempts at one answer, the first included. */
const attemptsMax = 3;

interface Choice {
  readonly index: number;
  readonly model: Model;
  readonly job: DecodeJob;
  readonly validator: AnswerValidator;
  readonly signal: AbortSignal;
  readonly taker: EventTaker;
}

/** Takes the events of a choice, with its number. All of them count. */
export interface EventTaker {
  /** Takes every event of the answer but its end. */
  emit(event: GenerationEvent): void;
  /** Takes an event of an attempt that is not valid: no reader gets it. */
  discard(event: GenerationEvent): void;
  /** Called when the prompt was not evaluated any further, because the run was aborted. */
  promptCut(evaluatedTokens: number): void;
  /** Called when the answer was aborted whose tokens so far its server has counted. */
  answerCut(counted: CountedTokens): void;
  /** Takes the end of each attempt, after its events. */
  attemptEnded(end: GenerationEnd): void;
  /**
   * Reserves another attempt, as large as the last one was.
   * @throws HearthError `no_credits` or `budget_exceeded` when it cannot be reserved.
   */
  reserveAttempt(): Promise<void>;
}

/**
 * Generates the answer. @returns its end, or null when it was aborted.
 * @throws HearthError `invalid_output` when no attempt is valid, and what keeps another attempt from being reserved.
 */
export async function generateChoice(engine: Engine, choice: Choice): Promise<GenerationEnd | null> {
  for (let attempt = 1; ; attempt += 1) {
    const { end, problem } = await attemptChoice(engine, choice, attempt);
    if (end === null || problem === null) return end;
    if (choice.validator.exact || attempt >= attemptsMax) throw invalidOutput(problem, attempt);
    await choice.taker.reserveAttempt();
  }
}

interface Attempt {
  readonly end: GenerationEnd | null;
  /** Why the answer is invalid; null when it is valid or was cut. */
  readonly problem: string | null;
}

async function attemptChoice(engine: Engine, choice: Choice, attempt: number): Promise<Attempt> {
  const { validator, model, signal, taker } = choice;
  const answer = new AnswerFold();
  const held: GenerationEvent[] = [];
  const emitHeld = (): void => held.splice(0).forEach((event) => taker.emit(event));
  const events = engine.generate(model, jobForAttempt(choice.job, attempt), signal);
  let end: GenerationEnd | null = null;
  try {
    for await (const engineEvent of events) {
      const event = numbered(engineEvent, choice.index);
      if (event.type === "generation-end") end = event;
      else if (event.type === "prompt-cut") {
        emitHeld();
        taker.promptCut(event.evaluatedTokens);
      } else if (event.type === "answer-cut") {
        emitHeld();
        taker.answerCut(event.counted);
      } else {
        answer.add(event);
        if (validator.exact) taker.emit(event);
        else held.push(event);
      }
    }
  } catch (thrown) {
    emitHeld();
    await drain(events);
    throw thrown;
  }
  if (end === null && !signal.aborted) throw new Error("the engine's stream ended without generation-end");
  const problem = await problemIn(answer, end, validator);
  const isDiscarded =
    end?.failure !== undefined || (problem !== null && end?.finishReason !== "stop_sequence");
  if (isDiscarded) for (const event of held.splice(0)) taker.discard(event);
  else emitHeld();
  if (end === null) return { end, problem };
  taker.attemptEnded(end);
  if (end.failure !== undefined) throw end.failure;
  if (end.finishReason !== "stop_sequence") return { end, problem };
  return { end: { ...end, finishReason: finishReasonAtStop(answer, problem) }, problem: null };
}

/** Returns an event with the number of its choice. */
function numbered(event: EngineEvent, choice: number): EngineEvent {
  return event.type === "generation-start" ? event : { ...event, choice };
}

/** Returns why an answer is invalid; null when it is valid or was cut. */
async function problemIn(
  answer: CompletedAnswer,
  end: GenerationEnd | null,
  validator: AnswerValidator,
): Promise<string | null> {
  if (end === null || end.failure !== undefined) return null;
  if (end.finishReason === "length" || end.finishReason === "content_filter") return null;
  return validator.check(answer);
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
async function drain(events: AsyncIterable<EngineEvent>): Promise<void> {
  try {
    for await (const event of events) void event;
  } catch {
    // The stream failed, too; it only matters that it has ended.
  }
}

/** The same job with another seed; a temperature of 0 would repeat the answer. */
function jobForAttempt(job: DecodeJob, attempt: number): DecodeJob {
  if (attempt === 1) return job;
  const { seed } = job.sampling;
  const temperature = Math.max(job.sampling.temperature, 0.7);
  return {
    ...job,
    sampling: {
      ...job.sampling,
      seed: seed === null ? null : (seed + (attempt - 1) * 0x9e3779b9) >>> 0,
      temperature,
    },
    statedSampling: { ...job.statedSampling, temperature },
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
