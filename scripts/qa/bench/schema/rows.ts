import { quantile, toRow, type Row } from "../../figures/table.js";
import type { RuleCounts, SchemaTally } from "./tally.js";
import type { Lost, SuiteCount } from "./verdict.js";

const keywordsMax = 10;

export function schemaRows(tally: SchemaTally): readonly Row[] {
  return [
    ...[...tally.splits].map(([split, { hosted, standard }]) => splitRow(split, hosted, standard)),
    ...totalRows(tally),
    ...measuredRows(tally),
    row("left to the validator, by keyword", top(tally.checkedBy)),
    row("refused, by keyword", top(tally.refusedBy)),
  ];
}

/** Returns the row of the official suite for one draft. */
export function suiteRow(draft: string, counts: readonly (SuiteCount | Lost)[]): Row {
  const evaluated = counts.filter((count): count is SuiteCount => !("stage" in count));
  const sum = (field: Exclude<keyof SuiteCount, "failures">): number =>
    evaluated.reduce((total, count) => total + count[field], 0);
  const [passed, refused, validRejected] = [sum("passed"), sum("refused"), sum("validRejected")];
  const [invalidAccepted, threw] = [sum("invalidAccepted"), sum("threw")];
  const all = passed + refused + validRejected + invalidAccepted + threw;
  const lost = counts.length - evaluated.length;
  const value =
    `${share(passed, all)} of ${all} pass; refused ${refused}, valid rejected ${validRejected}, ` +
    `invalid accepted ${invalidAccepted}, broken ${threw}${lost > 0 ? `, FILES LOST ${lost}` : ""}`;
  return row(`official suite, ${draft}`, value, ">= 75 %, 0 invalid accepted");
}

function splitRow(split: string, hosted: RuleCounts, standard: RuleCounts): Row {
  const { exact, checked, schemas } = hosted;
  const value =
    `accepted ${share(exact + checked, schemas)} (checked ${share(checked, schemas)}), ` +
    `whole ${share(hosted.whole, hosted.tested)} / ${share(standard.whole, standard.tested)}, ` +
    `invalid by grammar ${share(hosted.invalidByGrammar, hosted.invalid)} / ` +
    share(standard.invalidByGrammar, standard.invalid);
  return row(`${split} (${schemas})`, value);
}

interface Figure {
  readonly name: string;
  readonly show: (counts: RuleCounts) => string;
  readonly reach?: string;
}

const figures: readonly Figure[] = [
  {
    name: "crashed or hung; threw; not compiled",
    show: ({ lost, threw, uncompiled }) => `${lost}; ${threw}; ${uncompiled}`,
    reach: "0",
  },
  { name: "accepted", show: (c) => share(c.exact + c.checked, c.schemas), reach: ">= 97 %" },
  {
    name: "accepted exactly, checked",
    show: (c) => `${share(c.exact, c.schemas)}, ${share(c.checked, c.schemas)}`,
  },
  { name: "refused", show: (c) => share(c.refused, c.schemas) },
  { name: "valid accepted, some key order", show: (c) => share(c.validGenerated, c.valid) },
  {
    name: "invalid rejected by the grammar alone",
    show: (c) => share(c.invalidByGrammar, c.invalid),
    reach: ">= 98.5 %",
  },
  {
    name: "invalid rejected by grammar + validator",
    show: (c) => share(c.invalidByBoth, c.invalid),
    reach: "100 %",
  },
  {
    name: "passing whole, of those with tests",
    show: (c) => share(c.whole, c.tested),
    reach: ">= 95 % / >= 99.7 %",
  },
  { name: "passing whole, the untested with them", show: (c) => share(c.wholeOrUntested, c.schemas) },
  { name: "passing whole without the validator", show: (c) => share(c.wholeByGrammar, c.tested) },
  {
    name: "the validator against the labels, misjudged",
    show: (c) => `${c.validMisjudged} valid, ${c.invalidMisjudged} invalid of ${c.valid + c.invalid}`,
  },
];

function totalRows({ total: { hosted, standard } }: SchemaTally): readonly Row[] {
  return [
    row(`all ${hosted.schemas} schemas: the hosted rule / the standard's`, ""),
    ...figures.map(({ name, show, reach }) => row(name, `${show(hosted)} / ${show(standard)}`, reach)),
  ];
}

function measuredRows({ measured: { convertMs, compileMs, bytes } }: SchemaTally): readonly Row[] {
  if (bytes.length === 0) return [];
  const of = (samples: readonly number[], digits: number): string =>
    [0.5, 0.99, 1].map((part) => quantile(samples, part).toFixed(digits)).join(" / ");
  return [
    row("conversion p50 / p99 / max, CPU ms", of(convertMs, 2), "p50 < 2, p99 < 100"),
    row("GBNF text p50 / p99 / max, bytes", of(bytes, 0)),
    row("llama.cpp compile p50 / p99 / max, ms", of(compileMs, 2)),
  ];
}

function top(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, keywordsMax);
  return sorted.map(([keyword, count]) => `${keyword} ${count}`).join(", ") || "none";
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((100 * part) / whole).toFixed(2)} %`;
}

function row(figure: string, value: string, reach = ""): Row {
  return toRow(figure, value, reach);
}
