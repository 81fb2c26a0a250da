/**
 * Renders a conversation with a model's chat template. A template that raises an error gets the conversation again with repairs
 * (repairs.ts), until it accepts it or all are tried.
 */
import { isDeepStrictEqual } from "node:util";
import type { Conversation } from "../../../core/engine.js";
import type { Tool } from "../../../core/generation.js";
import type { Rendering } from "../../../template/jinja.js";
import type { TemplateRenderer } from "../renderer/renderer.js";
import type { ToolFormat } from "../tools/format.js";
import { definitionVariables } from "../tools/tools-as-text.js";
import { repairMessages, repairSets, type Repair } from "../repairs.js";

/** What the rendering of a conversation depends on. */
export interface TemplateModel {
  /** Renders the model's chat template. */
  readonly renderer: TemplateRenderer;
  /** How conversations with tools are passed to the template. */
  readonly tools: ToolFormat;
  readonly bosText: string;
  readonly eosText: string;
  /** Whether the template reads the definitions of tools as a text. */
  readonly definitionsAsText?: boolean;
  /** Whether a tool without a description gets an empty one. */
  readonly needsDescriptions?: boolean;
  /** The values of `reasoning_effort` that the template accepts; absent: none. */
  readonly efforts?: readonly string[];
}

/** A conversation whose texts are masked already. */
type MaskedConversation = Omit<Conversation, "prefill">;

/** A rendering, and the repairs that it was made with. */
interface RepairedRendering {
  readonly rendering: Rendering;
  readonly repairs: readonly Repair[];
}

/**
 * Renders a conversation with the repairs that the model needs, and then with others while the template raises an error. Renders it at
 * most as often as there are sets to try, and never twice with the same messages.
 * @param isWhole whether a text has everything that it must have
 * @returns the first rendering that is accepted, or that exceeds its budget; otherwise the first text, or the first rejection
 */
export async function renderWithRepairs(
  model: TemplateModel,
  conversation: MaskedConversation,
  needed: readonly Repair[],
  isWhole: (text: string) => boolean = () => true,
): Promise<RepairedRendering> {
  const tried: Record<string, unknown>[] = [];
  let best: RepairedRendering | null = null;
  for (const repairs of repairSets(needed)) {
    const variables = createVariables(model, conversation, repairs);
    if (tried.some((other) => isDeepStrictEqual(other, variables))) continue;
    tried.push(variables);
    const rendering = await model.renderer.render(variables);
    const isRefused =
      rendering.type === "rejected" || (rendering.type === "text" && !isWhole(rendering.text));
    if (!isRefused) return { rendering, repairs };
    if (best === null || (best.rendering.type === "rejected" && rendering.type === "text"))
      best = { rendering, repairs };
  }
  if (best === null) throw new Error("no set of repairs was tried");
  return best;
}

function createVariables(
  model: TemplateModel,
  { messages, tools, reasoningEffort, templateVariables }: MaskedConversation,
  repairs: readonly Repair[],
): Record<string, unknown> {
  const format = repairs.includes("tools-in-words") ? model.tools.inWords : model.tools;
  // A request defines its tools in its own field.
  const { tools: _tools, ...stated } = templateVariables ?? {};
  const variables: Record<string, unknown> = {
    ...stated,
    messages: repairMessages(format.renderMessages(messages, tools), repairs),
    add_generation_prompt: true,
    bos_token: model.bosText,
    eos_token: model.eosText,
  };
  if (model.definitionsAsText === true)
    Object.assign(variables, definitionVariables(format.writesDefinitions ? tools : []));
  if (tools.length > 0 && format.writesDefinitions)
    variables["tools"] = tools.map((tool) => templateTool(tool, model.needsDescriptions === true));
  return { ...reasoningVariables(reasoningEffort, model.efforts ?? []), ...variables };
}

/** Returns the variables by which templates learn whether and how much to reason: each reads one of them. */
function reasoningVariables(
  effort: MaskedConversation["reasoningEffort"],
  efforts: readonly string[],
): Record<string, unknown> {
  if (effort === "default") return {};
  const reasons = effort !== "none";
  const nearest = nearestEfforts[effort].find((each) => efforts.includes(each));
  return {
    enable_thinking: reasons,
    thinking: reasons,
    ...(reasons ? {} : { thinking_budget: 0 }),
    ...(nearest === undefined ? {} : { reasoning_effort: nearest }),
  };
}

/** The efforts that come closest, the best first. */
const nearestEfforts: Readonly<Record<"none" | "low" | "medium" | "high", readonly string[]>> = {
  none: ["none", "low"],
  low: ["low", "medium", "high"],
  medium: ["medium", "high", "low"],
  high: ["high", "medium", "low"],
};

function templateTool(tool: Tool, needsDescription: boolean): Record<string, unknown> {
  const { name, parameters } = tool;
  const description = tool.description ?? (needsDescription ? "" : undefined);
  return {
    type: "function",
    function: description === undefined ? { name, parameters } : { name, description, parameters },
  };
}
