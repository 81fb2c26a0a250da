/** What the evaluation tells: for a person to read, or as JSON. */
import type { Outcome } from "./ask.js";
import type { PictureOutcomes } from "./pictures.js";
import type { Speed } from "./speed.js";
import { renderFailures, renderSpeeds, renderTable, scoreOf, scoresOf } from "./table.js";

export interface ChatOutcomes {
  readonly model: string;
  readonly outcomes: readonly Outcome[];
  readonly wallSeconds: number;
  /** How many were asked at a time. */
  readonly concurrency: number;
}

export interface Evaluation {
  /** null: the chat model was asked nothing. */
  readonly chat: ChatOutcomes | null;
  readonly pictures: readonly PictureOutcomes[];
  readonly speeds: readonly Speed[];
}

/** Scores, bars, speeds and every outcome. */
export function report({ chat, pictures, speeds }: Evaluation): object {
  const scored = <T extends PictureOutcomes>(told: T): object => ({
    ...told,
    scores: scoresOf(told.outcomes),
  });
  const total = chat === null ? {} : { ...scored(chat), total: scoreOf("total", chat.outcomes) };
  return { ...total, pictures: pictures.map(scored), speeds };
}

/** Tables of scores and speeds, below what failed where that is wanted. */
export function text({ chat, pictures, speeds }: Evaluation, showFailures: boolean): string {
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
  return `${head}\n\n${renderTable(scoresOf(outcomes), scoreOf("total", outcomes))}`;
}

function pictureText({ model, outcomes }: PictureOutcomes): string {
  return `${model}\n\n${renderTable(scoresOf(outcomes), null)}`;
}
