/** Reads from a model's chat template, by rendering it, what prompts and answers depend on. */
import type { TemplateRenderer } from "../renderer/renderer.js";
import { findReasoningMarks, type ReasoningMarks } from "../reasoning.js";
import { deriveLanguage, type TemplateTexts } from "../derive/derive.js";
import { readToolFormat } from "../tools/format.js";
import { findRepairs } from "./find-repairs.js";
import type { TemplateModel } from "./render.js";
import type { Repair } from "../repairs.js";

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
