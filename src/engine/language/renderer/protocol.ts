/** The messages between a template renderer and its process. */
import type { Rendering } from "../../../template/jinja.js";
import type { WorkBudget } from "../../../template/meter.js";

/** What one rendering may use. */
export interface TemplateBudget extends WorkBudget {
  /** Time on the clock, also within a step. */
  readonly renderMsMax: number;
}

export interface RenderRequest {
  readonly type: "render";
  /** Jinja source. */
  readonly template: string;
  /** JSON values by the names that the template knows them by. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly budget: TemplateBudget;
}

export interface RenderReplies {
  readonly render: Rendering;
}
