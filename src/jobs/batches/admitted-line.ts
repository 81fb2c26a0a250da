/** A line of a batch between its admission and its run. */
import type { Principal } from "../../accounts/principals/api-key.js";
import type { AnswerContext } from "../../answers/context.js";
import type { Asking } from "../../answers/endpoint.js";
import type { TokenReservation } from "../../core/limits.js";
import type { RunEvent } from "../../core/run-event.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { RunEnd } from "../../inference/run/run-record.js";
import type { RunContext } from "../../inference/run/run-context.js";
import type { Write } from "../../store/writes.js";
import type { JobRun } from "../handler.js";
import type { ParseJson } from "./input.js";

export interface LineContext extends AnswerContext {
  readonly embedder: Embedder;
  readonly parseJson: ParseJson;
  /** What lines are charged, in percent of the model's prices. */
  readonly pricePercent: number;
}

/** A line that is admitted; its run has not begun. */
export interface AdmittedLine {
  readonly reservation: TokenReservation;
  start(context: RunContext): JobRun;
  /** Takes every event of the run. */
  add(event: RunEvent): void;
  /** Returns what is written in addition to the line's result. */
  writes(end: RunEnd): readonly Write[];
  /** Returns the JSON text of the answer of a run that is complete. */
  answer(): string;
  /** Returns sentences about what was not applied of the request. */
  warnings(): readonly string[];
}

/** Counts a line against the limits of its key and of its team. @throws HearthError `rate_limited`. */
export async function reserveLine(
  { rateLimits }: AnswerContext,
  principal: Principal,
  ...[modelId, prompt, endUser]: Parameters<Asking["reserve"]>
): Promise<TokenReservation> {
  const request = await rateLimits.admitRequest(principal);
  if (request.refusal !== null) throw request.refusal;
  const decision = await rateLimits.admitModelRequest(request, modelId, prompt, endUser);
  if (decision.refusal !== null) throw decision.refusal;
  return decision.reservation;
}
