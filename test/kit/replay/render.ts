/** Renders conversations as the server does, with or without a generation prompt. */
import type { Message, Tool } from "../../../src/core/generation.js";
import type { TemplateReading } from "../../../src/engine/language/prompt/read-template.js";
import { definitionVariables } from "../../../src/engine/language/tools/tools-as-text.js";
import { repairMessages, repairSets } from "../../../src/engine/language/repairs.js";

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Further variables of the template. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Returns the text that the first repairs give which the template accepts; null where it accepts none. */
export async function renderTurns(
  { template, repairs: needed }: TemplateReading,
  { messages, tools, variables }: Conversation,
): Promise<string | null> {
  for (const repairs of repairSets(needed)) {
    const format = repairs.includes("tools-in-words") ? template.tools.inWords : template.tools;
    const rendering = await template.renderer.render({
      messages: repairMessages(format.renderMessages(messages, tools), repairs),
      ...(format.writesDefinitions
        ? { tools: tools.map((tool) => ({ type: "function", function: tool })) }
        : {}),
      ...(template.definitionsAsText === true ? definitionVariables(tools) : {}),
      add_generation_prompt: false,
      bos_token: template.bosText,
      eos_token: template.eosText,
      ...variables,
    });
    if (rendering.type === "text") return rendering.text;
  }
  return null;
}
