/** Prints the evaluation as text or as JSON. */
import type { Outcome } from "./ask.js";
import type { PictureOutcomes } from "./pictures.js";
import type { Speed } from "./speed.js";
import { renderFailures, renderSpeeds, renderTable, score, scoreSkills } from "./table.js";

export interface ChatOutcomes {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
  readonly wallSeconds: number;
  /** The number of concurrent requests. */
  readonly concurrency: number;
}

export interface Evaluation {
  /** null: the chat model was not evaluated. */
  readonly chat: ChatOutcomes | null;
  readonly pictures: readonly PictureOutcomes[];
  readonly speeds: readonly Speed[];
}

/** Returns scores, targets, speeds and every outcome as JSON. */
export function listEvaluation({ chat, pictures, speeds }: Evaluation): object {
  const scored = <T extends PictureOutcomes>(told: T): object => ({
    ...told,
    scores: scoreSkills(told.outcomes),
  });
  const total = chat === null ? {} : { ...scored(chat), total: score("total", chat.outcomes) };
  return { ...total, pictures: pictures.map(scored), speeds };
}

/** Returns the tables of scores and speeds, after the failures if requested. */
export function formatEvaluation({ chat, pictures, speeds }: Evaluation, showFailures: boolean): string {
  const failures = [...(chat === null ? [] : [chat]), ...pictures].map(({ outcomes }) =>
    renderFailures(outcomes),
  );
  return [
    ...(showFailures ? failures.filter((each) => each !== "") : []),
    ...(chat === null ? [] : [chatText(chat)]),
    ...pictures.map(pictureText),
    ...(speeds.length === 0 ? [] : [renderSpeeds(speeds)]),
  ].join("\n\n");
}

function chatText({ model, outcomes, wallSeconds, concurrency }: ChatOutcomes): string {
  const tokens = outcomes.reduce((sum, outcome) => sum + outcome.tokens, 0);
  const rate = wallSeconds === 0 ? 0 : Math.round(tokens / wallSeconds);
  const head = `${model}, ${outcomes.length} items in ${wallSeconds.toFixed(1)} s, ${concurrency} at a time: ${rate} tok/s together`;
  return `${head}\n\n${renderTable(scoreSkills(outcomes), score("total", outcomes))}`;
}

function pictureText({ model, outcomes }: PictureOutcomes): string {
  return `${model}\n\n${renderTable(scoreSkills(outcomes), null)}`;
}
