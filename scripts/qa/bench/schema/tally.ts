import { rules, type Converted, type Lost, type Rule, type Verdict, type Verdicts } from "./verdict.js";

/** Counts of one collection, or of all, under one rule. */
export interface RuleCounts {
  schemas: number;
  lost: number;
  threw: number;
  uncompiled: number;
  refused: number;
  exact: number;
  checked: number;
  /** The number of schemas with at least one test. */
  tested: number;
  whole: number;
  /** Schemas that pass completely without the validator. */
  wholeByGrammar: number;
  /** Schemas that pass completely or have no tests. */
  wholeOrUntested: number;
  valid: number;
  validGenerated: number;
  /** Instances labelled valid that the validator rejects. */
  validMisjudged: number;
  invalid: number;
  invalidByGrammar: number;
  invalidByBoth: number;
  /** Instances labelled invalid that the validator accepts, regardless of the grammar. */
  invalidMisjudged: number;
}

export interface Measured {
  readonly convertMs: number[];
  readonly compileMs: number[];
  readonly bytes: number[];
}

/** All counts of the table. */
export class SchemaTally {
  readonly splits = new Map<string, Record<Rule, RuleCounts>>();
  readonly total: Record<Rule, RuleCounts> = { hosted: zero(), standard: zero() };
  readonly measured: Measured = { convertMs: [], compileMs: [], bytes: [] };
  /** Under the hosted rule: refused schemas and schemas with checked keywords, by keyword. */
  readonly refusedBy = new Map<string, number>();
  readonly checkedBy = new Map<string, number>();

  add(split: string, hasTests: boolean, answer: Verdicts | Lost): void {
    const own = this.splits.get(split) ?? { hosted: zero(), standard: zero() };
    this.splits.set(split, own);
    for (const rule of rules)
      for (const counts of [own[rule], this.total[rule]]) {
        counts.schemas += 1;
        if (hasTests) counts.tested += 1;
        if ("stage" in answer) counts.lost += 1;
        else count(counts, answer[rule]);
      }
    if ("stage" in answer) return;
    for (const rule of rules) this.#measure(answer[rule]);
    this.#keywords(answer.hosted);
  }

  #measure(verdict: Verdict): void {
    if (!isConverted(verdict)) return;
    this.measured.convertMs.push(verdict.convertMs);
    this.measured.compileMs.push(verdict.compileMs);
    this.measured.bytes.push(verdict.bytes);
  }

  #keywords(verdict: Verdict): void {
    if (verdict.kind === "refused") more(this.refusedBy, verdict.keyword ?? "the schema as a whole");
    if (isConverted(verdict)) for (const keyword of new Set(verdict.checked)) more(this.checkedBy, keyword);
  }
}

function count(counts: RuleCounts, verdict: Verdict): void {
  counts[verdict.kind] += 1;
  if (!isConverted(verdict)) return;
  let failed = 0;
  let failedByGrammar = 0;
  for (const { valid, generated, problem } of verdict.tests) {
    if (valid !== generated) failedByGrammar += 1;
    if (valid ? !generated || problem !== null : generated && problem === null) failed += 1;
    if (valid) {
      counts.valid += 1;
      if (generated) counts.validGenerated += 1;
      if (problem !== null) counts.validMisjudged += 1;
    } else {
      counts.invalid += 1;
      if (!generated) counts.invalidByGrammar += 1;
      if (!generated || problem !== null) counts.invalidByBoth += 1;
      if (problem === null) counts.invalidMisjudged += 1;
    }
  }
  if (failed === 0) counts.wholeOrUntested += 1;
  if (verdict.tests.length === 0) return;
  if (failed === 0) counts.whole += 1;
  if (failedByGrammar === 0) counts.wholeByGrammar += 1;
}

function isConverted(verdict: Verdict): verdict is Converted {
  return verdict.kind === "exact" || verdict.kind === "checked";
}

function more(counts: Map<string, number>, keyword: string): void {
  counts.set(keyword, (counts.get(keyword) ?? 0) + 1);
}

function zero(): RuleCounts {
  return {
    schemas: 0,
    lost: 0,
    threw: 0,
    uncompiled: 0,
    refused: 0,
    exact: 0,
    checked: 0,
    tested: 0,
    whole: 0,
    wholeByGrammar: 0,
    wholeOrUntested: 0,
    valid: 0,
    validGenerated: 0,
    validMisjudged: 0,
    invalid: 0,
    invalidByGrammar: 0,
    invalidByBoth: 0,
    invalidMisjudged: 0,
  };
}
