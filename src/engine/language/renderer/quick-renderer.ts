/**
 * Renders ordinary conversations in the calling thread, where a rendering takes a tenth of the time that a message to a process takes.
 * Its budget is so small that a hostile template cannot delay the thread: what needs more is left to the process.
 */
import type { Clock } from "../../../core/clock.js";
import { JinjaTemplate, type Rendering } from "../../../template/jinja.js";
import type { WorkBudget } from "../../../template/meter.js";

/** Enough for two thousand short messages, or for 60,000 tokens; the steps take about 2 ms. */
const quickBudget = { stepsMax: 20_000, textLengthMax: 262_144 };
/** Parsing takes time that no budget counts. Published templates have up to 30,000 characters. */
const sourceLengthMax = 262_144;

/** Returns the rendering, or null when only the process can say what it is. */
export type QuickRenderer = (variables: Readonly<Record<string, unknown>>) => Rendering | null;

/** Creates the quick renderer of a template, which keeps to `budget`, too. */
export function quickRenderer(
  source: string,
  budget: Omit<WorkBudget, "cpuMsMax">,
  clock: Clock,
): QuickRenderer {
  const quick: WorkBudget = {
    stepsMax: Math.min(budget.stepsMax, quickBudget.stepsMax),
    textLengthMax: Math.min(budget.textLengthMax, quickBudget.textLengthMax),
    // So few steps need no limit of time.
    cpuMsMax: Infinity,
  };
  let parsed: JinjaTemplate | null = null;
  return (variables) => {
    if (source.length > sourceLengthMax) return null;
    try {
      parsed ??= new JinjaTemplate(source, { cpuMs: () => 0, nowMs: () => clock.now() });
    } catch (thrown) {
      return { type: "invalid", reason: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    const rendering = parsed.render(variables, quick);
    return rendering.type === "exceeded" ? null : rendering;
  };
}
