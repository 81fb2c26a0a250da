/** The parts of a parsed template. */
import type { Value } from "../values/values.js";

export interface CallArguments {
  readonly positional: readonly JinjaExpression[];
  readonly named: readonly (readonly [string, JinjaExpression])[];
  /** `*items` and `**mapping`. */
  readonly items: JinjaExpression | null;
  readonly mapping: JinjaExpression | null;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "~";
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface FilterExpression {
  readonly type: "filter";
  /** Null in a block, where the filter applies to the text inside. */
  readonly operand: JinjaExpression | null;
  readonly name: string;
  readonly args: CallArguments;
}

interface NameExpression {
  readonly type: "name";
  readonly name: string;
}

export interface CallExpression {
  readonly type: "call";
  readonly callee: JinjaExpression;
  readonly args: CallArguments;
}

export interface SliceExpression {
  readonly type: "slice";
  readonly start: JinjaExpression | null;
  readonly stop: JinjaExpression | null;
  readonly step: JinjaExpression | null;
}

export type JinjaExpression =
  | { readonly type: "literal"; readonly value: Value }
  | NameExpression
  | { readonly type: "list" | "tuple"; readonly items: readonly JinjaExpression[] }
  | {
      readonly type: "dictionary";
      readonly entries: readonly (readonly [JinjaExpression, JinjaExpression])[];
    }
  | { readonly type: "attribute"; readonly object: JinjaExpression; readonly name: string }
  | {
      readonly type: "item";
      readonly object: JinjaExpression;
      readonly key: JinjaExpression | SliceExpression;
    }
  | CallExpression
  | FilterExpression
  | {
      readonly type: "test";
      readonly operand: JinjaExpression;
      readonly name: string;
      readonly args: CallArguments;
    }
  | { readonly type: "not" | "negative" | "positive"; readonly operand: JinjaExpression }
  | {
      readonly type: "binary";
      readonly operator: BinaryOperator;
      readonly left: JinjaExpression;
      readonly right: JinjaExpression;
    }
  | {
      readonly type: "comparison";
      readonly left: JinjaExpression;
      readonly others: readonly { readonly operator: Comparison; readonly right: JinjaExpression }[];
    }
  | { readonly type: "and" | "or"; readonly left: JinjaExpression; readonly right: JinjaExpression }
  | {
      readonly type: "conditional";
      readonly condition: JinjaExpression;
      readonly then: JinjaExpression;
      readonly otherwise: JinjaExpression | null;
    };

/** What a value can be assigned to. */
export type Target =
  | NameExpression
  | { readonly type: "namespace"; readonly name: string; readonly attribute: string }
  | { readonly type: "targets"; readonly targets: readonly Target[] };

export interface MacroParameter {
  readonly name: string;
  readonly otherwise: JinjaExpression | null;
}

export interface ForStatement {
  readonly type: "for";
  readonly target: Target;
  readonly items: JinjaExpression;
  readonly condition: JinjaExpression | null;
  readonly isRecursive: boolean;
  readonly body: readonly JinjaStatement[];
  readonly otherwise: readonly JinjaStatement[];
}

interface MacroStatement {
  readonly type: "macro";
  readonly name: string;
  readonly parameters: readonly MacroParameter[];
  readonly body: readonly JinjaStatement[];
}

export interface CallStatement {
  readonly type: "call-block";
  readonly call: CallExpression;
  readonly parameters: readonly MacroParameter[];
  readonly body: readonly JinjaStatement[];
}

export type JinjaStatement =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "output"; readonly value: JinjaExpression }
  | {
      readonly type: "if";
      readonly branches: readonly (readonly [JinjaExpression, readonly JinjaStatement[]])[];
      readonly otherwise: readonly JinjaStatement[];
    }
  | ForStatement
  | { readonly type: "set"; readonly target: Target; readonly value: JinjaExpression }
  | {
      readonly type: "set-block";
      readonly target: Target;
      readonly filter: FilterExpression | null;
      readonly body: readonly JinjaStatement[];
    }
  | MacroStatement
  | CallStatement
  | {
      readonly type: "filter-block";
      readonly filter: FilterExpression;
      readonly body: readonly JinjaStatement[];
    }
  | {
      readonly type: "with";
      readonly values: readonly (readonly [Target, JinjaExpression])[];
      readonly body: readonly JinjaStatement[];
    }
  | { readonly type: "break" | "continue" };
