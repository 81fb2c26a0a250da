/**
 * Renders chat templates: ordinary conversations in the calling thread under a very small budget, all others in a
 * process of their own. A template is a program of the model file: it can loop without end, and it can make V8 end its whole process,
 * which no limit of a thread prevents. The process is killed when it takes too long or too much memory, and the next rendering that
 * needs it starts a new one.
 */
import type { Clock } from "../../../core/clock.js";
import type { WorkBudget } from "../../../template/meter.js";
import { WorkerClient } from "../../worker/client.js";
import { WorkerLostError } from "../../worker/client-options.js";
import { type Rendering, JinjaTemplate } from "../../../template/jinja.js";
import type { RenderReplies, RenderRequest, TemplateBudget } from "./protocol.js";

/** Enough for ten thousand messages, the most of a request. */
const defaultBudget: TemplateBudget = {
  stepsMax: 2_000_000,
  cpuMsMax: 3_000,
  renderMsMax: 10_000,
  textLengthMax: 64 * 1024 * 1024,
};
/** Time after which a process is killed that does not keep to its budget. */
const callMsMax = 15_000;
/** An ordinary conversation takes some milliseconds. A template that took longer may not delay the tokens of other models. */
const slowCallMs = 200;
/** A conversation that has its process killed again and again may not start one each time. */
const restartMsMin = 1_000;
const defaultMemoryMbMax = 256;
const waitingMax = 1_000;

export interface TemplateRenderer {
  /**
   * Renders the template of one model.
   * @param variables JSON values by the names that the template knows them by.
   * @throws HearthError `overloaded` when too many renderings wait.
   */
  render(variables: Readonly<Record<string, unknown>>): Promise<Rendering>;
  /** Ends the process. */
  close(): Promise<void>;
}

/** Creates the renderer of a template. */
export type OpenRenderer = (template: string) => TemplateRenderer;

interface RendererDeps {
  readonly clock: Clock;
  /** Compiled worker.js of this folder. */
  readonly workerUrl: URL;
  readonly budget?: TemplateBudget;
  /** The heap of the process. */
  readonly memoryMbMax?: number;
  readonly log: (level: "warn" | "error", message: string) => void;
}

/** Returns the function that creates renderers; a renderer starts its process with the first rendering that is not quick. */
export function templateRenderers({
  clock,
  workerUrl,
  log,
  budget = defaultBudget,
  memoryMbMax = defaultMemoryMbMax,
}: RendererDeps): OpenRenderer {
  return (template) => {
    const client = new WorkerClient<RenderRequest, RenderReplies>({
      clock,
      name: "template",
      workerUrl,
      runsIn: "process",
      memoryMbMax,
      concurrencyMax: 1,
      waiting: { max: waitingMax, overloadedMessage: "Too many conversations wait for their chat template." },
      callMsMax,
      slowCallMs,
      restartMsMin,
      onAbort: "leave",
      closeMsMax: 0,
      log,
    });
    const quick = quickRenderer(template, budget, clock);
    return {
      render: async (variables) =>
        quick(variables) ??
        (await client.call({ type: "render", template, variables, budget }).catch(exceeded)),
      close: () => client.close(),
    };
  };
}

function exceeded(thrown: unknown): Rendering {
  if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
  const isLate = thrown.reason === "timeout";
  return {
    type: "exceeded",
    limit: isLate ? `needs more than ${callMsMax / 1000} s` : "needs too much memory",
  };
}

/** Enough for two thousand short messages, or for 60,000 tokens; the steps take about 2 ms. */
const quickBudget = { stepsMax: 20_000, textLengthMax: 262_144 };
/** Parsing takes time that no budget counts. Published templates have up to 30,000 characters. */
const sourceLengthMax = 262_144;

/** Returns the rendering, or null when only the process can say what it is. */
type QuickRenderer = (variables: Readonly<Record<string, unknown>>) => Rendering | null;

/**
 * Renders ordinary conversations in the calling thread, where a rendering takes a tenth of the time that a message to a process
 * takes. Its budget is so small that a hostile template cannot delay the thread: what needs more is left to the process. Creates
 * the quick renderer of a template, which keeps to `budget`, too.
 */
function quickRenderer(source: string, budget: Omit<WorkBudget, "cpuMsMax">, clock: Clock): QuickRenderer {
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
