import type { LlamaModel } from "node-llama-cpp";
import type { Model } from "../../../core/model.js";
import type { TemplateRenderer } from "../renderer/renderer.js";
import { chooseTemplate, readTemplateTexts } from "../language.js";
import { readTemplate, type TemplateReading } from "../prompt/read-template.js";

/**
 * Reads the chat template.
 * @throws Error when the template is not valid, or exceeds its budget for the shortest conversation.
 */
export async function tryTemplate(
  weights: LlamaModel,
  model: Model,
  renderer: TemplateRenderer,
): Promise<TemplateReading> {
  const messages = [{ role: "user", content: "Hello!" }];
  const rendering = await renderer.render({ messages, add_generation_prompt: true });
  if (rendering.type === "invalid") throw new Error(`its chat template is not valid: ${rendering.reason}`);
  if (rendering.type === "exceeded") throw new Error(`its chat template ${rendering.limit}.`);
  return readTemplate(chooseTemplate(weights, model), renderer, readTemplateTexts(weights));
}
