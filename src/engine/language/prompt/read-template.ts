/** Reads from a model's chat template, by rendering it, what prompts and answers depend on. */
import type { TemplateRenderer } from "../renderer/renderer.js";
import { findReasoningMarks, type ReasoningMarks } from "../reasoning.js";
import { deriveLanguage, type TemplateTexts } from "../derive/derive.js";
import { readToolFormat } from "../tools/format.js";
import { type TemplateModel, renderWithRepairs } from "./render.js";
import type { Repair } from "../repairs.js";
import type { Message, Tool } from "../../../core/generation.js";

export interface TemplateReading {
  readonly template: TemplateModel;
  /** What the template needs of an ordinary conversation. */
  readonly repairs: readonly Repair[];
  /** Marks around the reasoning; null when the model never reasons, or when the tool format separates the reasoning. */
  readonly reasoning: ReasoningMarks | null;
  /** Around the text of an answer; an empty text for a mark that it does not have. */
  readonly answerMarks: { readonly open: string; readonly close: string } | null;
}

/** Reads a template. What its renderings do not show is taken from its text. */
export async function readTemplate(
  source: string,
  renderer: TemplateRenderer,
  texts: TemplateTexts,
): Promise<TemplateReading> {
  const derived = await deriveLanguage({
    ...texts,
    template: source,
    render: (variables) => renderer.render(variables),
  });
  const tools = readToolFormat(source, derived);
  const hasOwnOpening = tools.readsReasoning || tools.promptEnd !== "";
  const { bosText, eosText } = texts;
  const { efforts = [], needsDescriptions = false, definitionsAsText = false } = derived ?? {};
  const template = { renderer, tools, bosText, eosText, efforts, needsDescriptions, definitionsAsText };
  const reasoning = tools.readsReasoning ? null : (derived?.reasoning ?? findReasoningMarks(source));
  const answerMarks = hasOwnOpening ? null : (reasoning?.answer ?? derived?.answerMarks ?? null);
  return { template, repairs: await findRepairs(template), reasoning, answerMarks };
}

/** A conversation, and the texts that its prompt must contain. */
interface Probe {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly texts: readonly string[];
}

const tool: Tool = {
  name: "probe_tool",
  description: "Returns the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const system: Message = { role: "system", content: "Probe system." };
const user: Message = { role: "user", content: "Probe user." };
const assistant: Message = { role: "assistant", content: "Probe assistant." };
const later: Message = { role: "system", content: "Probe later." };
const calling: Message = {
  role: "assistant",
  content: "",
  toolCalls: ["first", "second"].map((city, index) => createCall(`probe_call_${index}`, city)),
};
const results = ["Probe sunny.", "Probe rainy."].map((content, index): Message => ({
  role: "tool",
  toolCallId: `probe_call_${index}`,
  content,
}));

/** Ordinary conversations, from the simplest to the richest. */
const probes: readonly Probe[] = [
  createProbe([user]),
  createProbe([system, user]),
  createProbe([system, user, assistant, later, user], ["Probe system.", "Probe later."]),
  createProbe([user, { role: "user", content: "Probe again." }]),
  createProbe([user], ["Probe user.", tool.name], [tool]),
  createProbe([user, calling, ...results], undefined, [tool]),
];

/**
 * Returns the repairs without which the template refuses an ordinary conversation, or leaves out a text of it. A conversation that it
 * accepts with no repair needs none.
 */
export async function findRepairs(model: TemplateModel): Promise<readonly Repair[]> {
  let needed: readonly Repair[] = [];
  for (const { messages, tools, texts } of probes) {
    const isWhole = (text: string): boolean => texts.every((each) => text.includes(each));
    const conversation = { messages, tools, reasoningEffort: "default" } as const;
    const { rendering, repairs } = await renderWithRepairs(model, conversation, needed, isWhole);
    // It may take seconds for each conversation.
    if (rendering.type === "exceeded") return needed;
    const isFound = rendering.type === "text" && isWhole(rendering.text);
    // A template that writes definitions keeps its own calls; only conversations that it refuses are said in words.
    const keepsTools = messages.length > 1 && tools.length > 0 && !needed.includes("tools-in-words");
    if (isFound && keepsTools && repairs.includes("tools-in-words")) continue;
    if (isFound) needed = repairs;
    // What refuses a greeting, refuses all others.
    else if (messages.length === 1) return needed;
  }
  return needed;
}

function createProbe(
  messages: readonly Message[],
  texts: readonly string[] = messages.map(({ content }) => content),
  tools: readonly Tool[] = [],
): Probe {
  return { messages, tools, texts };
}

function createCall(id: string, city: string): { id: string; name: string; arguments: string } {
  return { id, name: tool.name, arguments: JSON.stringify({ city }) };
}
