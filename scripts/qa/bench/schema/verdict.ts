/** The results of one schema, as the evaluation process reports them. */

/** The two meanings of an absent `additionalProperties`. */
export const rules = ["hosted", "standard"] as const;
export type Rule = (typeof rules)[number];

export interface Refused {
  readonly kind: "refused";
  readonly keyword: string | null;
  readonly pointer: string;
  readonly message: string;
}

/** The conversion threw something other than a refusal, or llama.cpp rejected the grammar. */
export interface Broken {
  readonly kind: "threw" | "uncompiled";
  readonly message: string;
}

export interface TestVerdict {
  readonly valid: boolean;
  /** Whether llama.cpp's matcher accepts the instance in some order of keys and some style of white space. */
  readonly generated: boolean;
  /** The problem that the validator reports, or null. */
  readonly problem: string | null;
}

export interface Converted {
  readonly kind: "exact" | "checked";
  /** The keywords left to the validator. */
  readonly checked: readonly string[];
  readonly convertMs: number;
  readonly compileMs: number;
  readonly bytes: number;
  readonly tests: readonly TestVerdict[];
}

export type Verdict = Refused | Broken | Converted;
export type Verdicts = Readonly<Record<Rule, Verdict>>;

/** Test counts of the official suite, or of one of its files. */
export interface SuiteCount {
  readonly passed: number;
  readonly refused: number;
  readonly validRejected: number;
  readonly invalidAccepted: number;
  readonly threw: number;
  /** The failed tests with reasons. */
  readonly failures: readonly string[];
}

export type Job =
  | { readonly kind: "schema"; readonly path: string }
  | { readonly kind: "suite"; readonly path: string; readonly draft: string };

export type ChildAnswer = Verdicts | SuiteCount;

/** From the judging process: that it still works and at what, or the answer to its job. */
export type ChildMessage =
  | { readonly type: "alive"; readonly stage: string }
  | { readonly type: "done"; readonly answer: ChildAnswer };

/** A process that died or stood still in a job, and at what it was. */
export interface Lost {
  readonly kind: "crashed" | "hung";
  readonly stage: string;
}
