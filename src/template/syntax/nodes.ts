/** The parts of a parsed template. */
import type { Value } from "../values/values.js";

export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
  /** `*items` and `**mapping`. */
  readonly items: Expression | null;
  readonly mapping: Expression | null;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "~";
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export interface FilterExpression {
  readonly type: "filter";
  /** Null in a block, where the filter applies to the text inside. */
  readonly operand: Expression | null;
  readonly name: string;
  readonly args: CallArguments;
}

export interface NameExpression {
  readonly type: "name";
  readonly name: string;
}

export interface CallExpression {
  readonly type: "call";
  readonly callee: Expression;
  readonly args: CallArguments;
}

export interface SliceExpression {
  readonly type: "slice";
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}

export type Expression =
  | { readonly type: "literal"; readonly value: Value }
  | NameExpression
  | { readonly type: "list" | "tuple"; readonly items: readonly Expression[] }
  | { readonly type: "dictionary"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: "attribute"; readonly object: Expression; readonly name: string }
  | { readonly type: "item"; readonly object: Expression; readonly key: Expression | SliceExpression }
  | CallExpression
  | FilterExpression
  | {
      readonly type: "test";
      readonly operand: Expression;
      readonly name: string;
      readonly args: CallArguments;
    }
  | { readonly type: "not" | "negative" | "positive"; readonly operand: Expression }
  | {
      readonly type: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: "comparison";
      readonly left: Expression;
      readonly others: readonly { readonly operator: Comparison; readonly right: Expression }[];
    }
  | { readonly type: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: "conditional";
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression | null;
    };

/** What a value can be assigned to. */
export type Target =
  | NameExpression
  | { readonly type: "namespace"; readonly name: string; readonly attribute: string }
  | { readonly type: "targets"; readonly targets: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly otherwise: Expression | null;
}

export interface ForStatement {
  readonly type: "for";
  readonly target: Target;
  readonly items: Expression;
  readonly condition: Expression | null;
  readonly isRecursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface MacroStatement {
  readonly type: "macro";
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

export interface CallStatement {
  readonly type: "call-block";
  readonly call: CallExpression;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

export type Statement =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "output"; readonly value: Expression }
  | {
      readonly type: "if";
      readonly branches: readonly (readonly [Expression, readonly Statement[]])[];
      readonly otherwise: readonly Statement[];
    }
  | ForStatement
  | { readonly type: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly type: "set-block";
      readonly target: Target;
      readonly filter: FilterExpression | null;
      readonly body: readonly Statement[];
    }
  | MacroStatement
  | CallStatement
  | { readonly type: "filter-block"; readonly filter: FilterExpression; readonly body: readonly Statement[] }
  | {
      readonly type: "with";
      readonly values: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  | { readonly type: "break" | "continue" };
