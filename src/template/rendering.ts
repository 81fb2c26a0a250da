/** The messages between a template renderer and its process. */

/** What one rendering may use. */
export interface TemplateBudget {
  /** Statements and expressions that are evaluated, and numbers in ranges. */
  readonly stepsMax: number;
  /** CPU time, checked between steps. */
  readonly cpuMsMax: number;
  /** Time on the clock, also within a step. */
  readonly renderMsMax: number;
  /** Characters of a text, the result included. */
  readonly textLengthMax: number;
}

export interface RenderRequest {
  readonly type: "render";
  /** Jinja source. */
  readonly template: string;
  /** JSON values by the names that the template knows them by. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly budget: TemplateBudget;
}

export type Rendering =
  | { readonly type: "text"; readonly text: string }
  /** The template is not valid, or it raised an error. */
  | { readonly type: "invalid" | "rejected"; readonly reason: string }
  /** It exceeded its budget. `limit` completes the sentence "the template ...". */
  | { readonly type: "exceeded"; readonly limit: string };

export interface RenderReplies {
  readonly render: Rendering;
}
