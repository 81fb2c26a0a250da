/** The formats that are derived from the templates of each style. */
import type { Tool } from "../../../../src/core/generation.js";
import { deriveLanguage, type DerivedLanguage } from "../../../../src/engine/language/derive/derive.js";
import { readToolFormat, type ToolFormat } from "../../../../src/engine/language/tools/format.js";
import type { Rendering } from "../../../../src/template/jinja.js";
import { renderHere } from "../../../kit/engine/render-here.js";
import { styles } from "./styles.js";

const texts = { bosText: "", eosText: "<|over|>", endTexts: [] };

export function derivedOf(template: string): Promise<DerivedLanguage | null> {
  const renderer = renderHere(template);
  const render = (variables: Readonly<Record<string, unknown>>): Promise<Rendering> =>
    renderer.render(variables);
  return deriveLanguage({ ...texts, template, render });
}

async function formatOf(template: string): Promise<ToolFormat> {
  return readToolFormat(template, await derivedOf(template));
}

const formats = new Map<string, ToolFormat>();
for (const [name, { template }] of Object.entries(styles)) formats.set(name, await formatOf(template));
export const formatFor = (name: string): ToolFormat => {
  const format = formats.get(name);
  if (format === undefined) throw new Error(`no style ${name}`);
  return format;
};

export const names = Object.keys(styles);

export const tool: Tool = {
  name: "set_values",
  parameters: {
    type: "object",
    properties: {
      text: { type: "string" },
      count: { type: "number" },
      on: { type: "boolean" },
      list: { type: "array" },
      object: { type: "object" },
    },
  },
};

/** Returns the turn of the model that the template writes for these calls. */
export async function turnOf(name: string, argumentsOfCalls: readonly object[]): Promise<string> {
  const template = styles[name]?.template ?? "";
  const format = formatFor(name);
  const toolCalls = argumentsOfCalls.map((each, index) => ({
    id: `call_${index}`,
    name: tool.name,
    arguments: JSON.stringify(each),
  }));
  const messages = format.renderMessages(
    [
      { role: "user", content: "Go." },
      { role: "assistant", content: "", toolCalls },
    ],
    [tool],
  );
  const rendering = await renderHere(template).render({ messages, tools: [tool] });
  if (rendering.type !== "text") throw new Error(JSON.stringify(rendering));
  const [, turn = ""] = /.*<\|turn\|>assistant\n([^]*?)<\|(?:over|turn)\|>/.exec(rendering.text) ?? [];
  return turn;
}
