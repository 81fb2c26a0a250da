/**
 * One choice of a run: a job on a slot, followed to its end. Where the rules of its answer allow more than was asked for, the
 * answer is held back until it was judged, and drawn again when it is wrong; else it is told as it comes.
 */
import type { DecodeJob, Engine } from "../../core/engine.js";
import { HearthError } from "../../core/errors.js";
import type { FinishReason, GenerationEnd, GenerationEvent } from "../../core/generation.js";
import type { Model } from "../../core/model.js";
import type { AnswerJudge, WrittenAnswer } from "./answer-rules.js";

/** Draws of one answer, the first included. */
const drawsMax = 3;

export interface Choice {
  readonly index: number;
  readonly model: Model;
  readonly job: DecodeJob;
  readonly judge: AnswerJudge;
  readonly signal: AbortSignal;
  /** Told of every event but the end, with the choice's own number. */
  readonly tell: (event: GenerationEvent) => void;
}

/**
 * Draws the answer. @returns its end, or null when it was aborted.
 * @throws HearthError `invalid_output` when no draw is what was asked for.
 */
export async function drawChoice(engine: Engine, choice: Choice): Promise<GenerationEnd | null> {
  for (let draw = 0; ; draw += 1) {
    const { end, wrong } = await drawOnce(engine, choice, draw);
    if (end === null || wrong === null) return end;
    if (choice.judge.exact || draw + 1 >= drawsMax) throw invalidOutput(wrong, draw + 1);
  }
}

interface Draw {
  readonly end: GenerationEnd | null;
  /** What is wrong with the answer; null when nothing is, or when it was cut. */
  readonly wrong: string | null;
}

async function drawOnce(engine: Engine, choice: Choice, draw: number): Promise<Draw> {
  const { judge, model, signal, tell } = choice;
  const answer = new Written();
  const held: GenerationEvent[] = [];
  let end: GenerationEnd | null = null;
  const events = engine.generate(model, redrawn(choice.job, draw), signal);
  try {
    for await (const event of events) {
      answer.add(event);
      const own = event.type === "generation-start" ? event : { ...event, choice: choice.index };
      if (own.type === "generation-end") end = own;
      else if (judge.exact) tell(own);
      else held.push(own);
    }
  } catch (thrown) {
    if (!judge.exact) for (const event of held) tell(event);
    await drained(events);
    throw thrown;
  }
  if (end === null && !signal.aborted) throw new Error("the engine's stream ended without generation-end");
  const wrong = end === null || end.finishReason === "length" ? null : await judge.check(answer);
  if (end?.finishReason !== "stop_sequence") {
    if (wrong === null) for (const event of held) tell(event);
    return { end, wrong };
  }
  for (const event of held) tell(event);
  return { end: { ...end, finishReason: stoppedAs(answer, wrong) }, wrong: null };
}

/**
 * What a stop text made of an answer. One that it ended before it was what was asked for is no whole answer, as little as one
 * cut by a bound; whole calls are calls, wherever the text ends.
 */
function stoppedAs({ calls }: WrittenAnswer, wrong: string | null): FinishReason {
  if (wrong !== null) return "length";
  return calls.length > 0 ? "tool_calls" : "stop_sequence";
}

/** The engine's slot is free only when its stream has ended. */
async function drained(events: AsyncIterable<GenerationEvent>): Promise<void> {
  try {
    for await (const event of events) void event;
  } catch {
    // It has failed as well: that it ended is all that matters here.
  }
}

/** The same job with other dice; greedy decoding would only say the same again. */
function redrawn(job: DecodeJob, draw: number): DecodeJob {
  if (draw === 0) return job;
  const { seed, temperature } = job.sampling;
  return {
    ...job,
    sampling: {
      ...job.sampling,
      seed: seed === null ? null : (seed + draw * 0x9e3779b9) >>> 0,
      temperature: Math.max(temperature, 0.7),
    },
  };
}

/** The answer that the events told, put together. */
class Written implements WrittenAnswer {
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

function invalidOutput(wrong: string, draws: number): HearthError {
  const times = draws === 1 ? "" : ` in ${draws} tries`;
  return new HearthError("invalid_output", `The model's answer is not what was asked for${times}: ${wrong}`);
}
