import type { Outcome } from "./ask.js";

/** One row of the scores; `percent` is null when nothing of it is served. */
export interface Score {
  readonly skill: string;
  readonly items: number;
  readonly notServed: number;
  readonly passed: number;
  readonly percent: number | null;
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
  return {
    skill,
    items: outcomes.length,
    notServed,
    passed,
    percent: asked === 0 ? null : Math.round((passed / asked) * 1000) / 10,
    tokensPerSecond: seconds === 0 ? 0 : Math.round(tokens / seconds),
  };
}

/** Scores as a table, the total last where there is one. */
export function renderTable(scores: readonly Score[], total: Score | null): string {
  const rows = [
    ["skill", "items", "not served", "passed", "percent", "tok/s"],
    ...[...scores, ...(total === null ? [] : [total])].map((score) => [
      score.skill,
      String(score.items),
      String(score.notServed),
      String(score.passed),
      score.percent === null ? "-" : score.percent.toFixed(1),
      score.tokensPerSecond === 0 ? "-" : String(score.tokensPerSecond),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  const rule = "-".repeat(lines[0]?.length ?? 0);
  const body = total === null ? lines.slice(1) : [...lines.slice(1, -1), rule, lines.at(-1)];
  return [lines[0], rule, ...body].join("\n");
}

/** What was asked, answered and missed, for every item that failed. */
export function renderFailures(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter((outcome) => outcome.state === "failed")
    .map(({ item, answer, lacks }) =>
      [
        `[${item.skill}] ${JSON.stringify(item.messages.at(-1)?.content)}`,
        `  answer: ${JSON.stringify(answer?.content ?? null)}`,
        ...lacks.map((lack) => `  ${lack}`),
      ].join("\n"),
    )
    .join("\n");
}
