/** What happened to one schema, as the judging process tells it. */

/** The two readings of an absent `additionalProperties`. */
export const rules = ["hosted", "standard"] as const;
export type Rule = (typeof rules)[number];

export interface Refused {
  readonly kind: "refused";
  readonly keyword: string | null;
  readonly pointer: string;
  readonly message: string;
}

/** Something else than a refusal came out, or llama.cpp did not take the text. */
export interface Broken {
  readonly kind: "threw" | "uncompiled";
  readonly message: string;
}

export interface TestVerdict {
  readonly valid: boolean;
  /** The real matcher takes the instance in some order of keys and some style of white space. */
  readonly generated: boolean;
  /** What the validator finds wrong; null: nothing. */
  readonly problem: string | null;
}

export interface Converted {
  readonly kind: "exact" | "checked";
  /** The keywords that are left to the validator. */
  readonly checked: readonly string[];
  readonly convertMs: number;
  readonly compileMs: number;
  readonly bytes: number;
  readonly tests: readonly TestVerdict[];
}

export type Verdict = Refused | Broken | Converted;
export type Verdicts = Readonly<Record<Rule, Verdict>>;

/** Counts of tests of the official suite, or of one of its files. */
export interface SuiteCount {
  readonly passed: number;
  readonly refused: number;
  readonly validRejected: number;
  readonly invalidAccepted: number;
  readonly threw: number;
  /** What did not pass and why. */
  readonly failures: readonly string[];
}

export type Job =
  | { readonly kind: "schema"; readonly path: string }
  | { readonly kind: "suite"; readonly path: string; readonly draft: string };

export type Answer = Verdicts | SuiteCount;

/** From the judging process: that it still works and at what, or the answer to its job. */
export type Message =
  { readonly type: "alive"; readonly stage: string } | { readonly type: "done"; readonly answer: Answer };

/** A process that died or stood still in a job, and at what it was. */
export interface Lost {
  readonly kind: "crashed" | "hung";
  readonly stage: string;
}
