import type { Outcome } from "./ask.js";
import { bars } from "./bars.js";
import { askedText } from "./items.js";
import type { Speed } from "./speed.js";

/** One row of the scores; `percent` is null when nothing of it is served. */
export interface Score {
  readonly skill: string;
  readonly items: number;
  readonly notServed: number;
  readonly passed: number;
  readonly percent: number | null;
  /** The percentage that the skill is meant to reach, null where none is named. */
  readonly bar: number | null;
  /** Whether it does; null without a bar or a score. */
  readonly holds: boolean | null;
  /** Sampled tokens per second of one answer, as its client sees it. */
  readonly tokensPerSecond: number;
}

/** The scores by skill, in order of name. */
export function scoresOf(outcomes: readonly Outcome[]): readonly Score[] {
  const skills = [...new Set(outcomes.map((outcome) => outcome.item.skill))].sort();
  return skills.map((skill) =>
    scoreOf(
      skill,
      outcomes.filter((outcome) => outcome.item.skill === skill),
    ),
  );
}

/** The score of some outcomes under one name. */
export function scoreOf(skill: string, outcomes: readonly Outcome[]): Score {
  const count = (state: Outcome["state"]): number =>
    outcomes.filter((outcome) => outcome.state === state).length;
  const [passed, notServed] = [count("passed"), count("not-served")];
  const asked = outcomes.length - notServed;
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const tokens = outcomes.reduce((sum, outcome) => sum + outcome.tokens, 0);
  const bar = bars[skill] ?? null;
  return {
    skill,
    items: outcomes.length,
    notServed,
    passed,
    percent: asked === 0 ? null : Math.round((passed / asked) * 1000) / 10,
    bar,
    // Of the score itself, not of what it is rounded to.
    holds: bar === null || asked === 0 ? null : passed * 100 >= bar * asked,
    tokensPerSecond: seconds === 0 ? 0 : Math.round(tokens / seconds),
  };
}

/** Scores as a table, the total last where there is one. */
export function renderTable(scores: readonly Score[], total: Score | null): string {
  const rows = [...scores, ...(total === null ? [] : [total])].map((score) => [
    score.skill,
    String(score.items),
    String(score.notServed),
    String(score.passed),
    score.percent === null ? "-" : score.percent.toFixed(1),
    score.bar === null ? "-" : String(score.bar),
    verdict(score.holds),
    score.tokensPerSecond === 0 ? "-" : String(score.tokensPerSecond),
  ]);
  const head = ["skill", "items", "not served", "passed", "percent", "bar", "holds", "tok/s"];
  const [titles = "", rule = "", ...lines] = aligned([head, ...rows]);
  const body = total === null ? lines : [...lines.slice(0, -1), rule, lines.at(-1)];
  return [titles, rule, ...body].join("\n");
}

/** Speeds as a table. */
export function renderSpeeds(speeds: readonly Speed[]): string {
  const rows = speeds.map(({ what, value, bar, holds }) => [
    what,
    String(value),
    String(bar),
    verdict(holds),
  ]);
  return aligned([["speed", "measured", "bar", "holds"], ...rows]).join("\n");
}

function verdict(holds: boolean | null): string {
  return holds === null ? "-" : holds ? "yes" : "NO";
}

/** Columns to the right but for the first, and a rule below the titles. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const [titles = "", ...lines] = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  return [titles, "-".repeat(titles.length), ...lines];
}

/** What was asked, answered and missed, for every item that failed. */
export function renderFailures(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter((outcome) => outcome.state === "failed")
    .map(({ item, answer, lacks }) =>
      [
        `[${item.skill}] ${JSON.stringify(askedText(item))}`,
        `  answer: ${JSON.stringify(answer?.content ?? null)}`,
        ...lacks.map((lack) => `  ${lack}`),
      ].join("\n"),
    )
    .join("\n");
}
