import type { Outcome } from "./ask.js";
import { bars } from "./bars.js";
import { askedText } from "./items.js";
import type { Speed } from "./speed.js";

/** One row of the scores; `percent` is null if no item is served. */
export interface Score {
  readonly skill: string;
  readonly items: number;
  readonly notServed: number;
  readonly passed: number;
  readonly percent: number | null;
  /** The target percentage of the skill, or null. */
  readonly bar: number | null;
  /** Whether the target is reached; null without a target or a score. */
  readonly holds: boolean | null;
  /** Sampled tokens per second of one answer, as measured by its client. */
  readonly tokensPerSecond: number;
}

/** Returns the scores by skill, in order of name. */
export function scoreSkills(outcomes: readonly Outcome[]): readonly Score[] {
  const skills = [...new Set(outcomes.map((outcome) => outcome.item.skill))].sort();
  return skills.map((skill) =>
    score(
      skill,
      outcomes.filter((outcome) => outcome.item.skill === skill),
    ),
  );
}

/** Returns the score of some outcomes under one name. */
export function score(skill: string, outcomes: readonly Outcome[]): Score {
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
    // Decided on the exact score, not the rounded one.
    holds: bar === null || asked === 0 ? null : passed * 100 >= bar * asked,
    tokensPerSecond: seconds === 0 ? 0 : Math.round(tokens / seconds),
  };
}

/** Renders scores as a table, with the total last if there is one. */
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

/** Renders speeds as a table. */
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

/** Aligns all columns but the first to the right, with a line below the header. */
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

/** Returns question, answer and missing parts of every failed item. */
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
