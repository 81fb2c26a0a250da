/** Reads a prompt in the built-in model's template back, and writes what a script answers as that model does. */
import type { ScriptStep } from "../../../../test/kit/scripted/engine.js";

/** A conversation as scripts read it. */
export interface ReadPrompt {
  /** One `role: content` line for each message. */
  readonly text: string;
  readonly tools: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly name: string;
  /** The names of its arguments, in the order in which grammars have them. */
  readonly properties: readonly string[];
}

/** A part of an answer: a text, or a wait for what never comes. */
export type Piece = string | Promise<unknown>;

const message = /<\|im_start\|>(\w+)([\s\S]*?)<\|im_end\|>/g;
const toolList = /<tools>\n([\s\S]*?)\n<\/tools>/;
const toolResponse = /\n<tool_response>\n([\s\S]*?)\n<\/tool_response>/g;

export function readPrompt(prompt: string): ReadPrompt {
  const [, list = ""] = toolList.exec(prompt) ?? [];
  const lines = [...prompt.matchAll(message)].flatMap(([, role = "", content = ""]) => {
    const results = [...content.matchAll(toolResponse)].map(([, result = ""]) => `tool: ${result}`);
    return results.length > 0 ? results : [`${role}: ${content.trim()}`];
  });
  return {
    text: [...lines, "assistant:"].join("\n"),
    tools: list
      .split("\n")
      .filter((line) => line !== "")
      .map(readTool),
  };
}

interface WrittenTool {
  readonly name?: string;
  readonly parameters?: { readonly properties?: object };
}

/** A tool is `{ function: ... }`, or the function itself. */
function readTool(line: string): OfferedTool {
  const written = JSON.parse(line) as WrittenTool & { readonly function?: WrittenTool };
  const { name = "", parameters } = written.function ?? written;
  return { name, properties: Object.keys(parameters?.properties ?? {}) };
}

/** Returns the parts of an answer as the model writes it. Arguments are in the order of their schema, which grammars require. */
export function* writeAnswer(
  steps: Iterable<ScriptStep>,
  tools: readonly OfferedTool[],
): Generator<Piece, void, undefined> {
  let order: readonly string[] = [];
  for (const step of steps) {
    if (typeof step === "string" || step instanceof Promise) yield step;
    else if (step instanceof Error) throw step;
    else if (step.type === "tool-call-start") {
      order = tools.find(({ name }) => name === step.name)?.properties ?? [];
      yield `<tool_call>\n{"name": ${JSON.stringify(step.name)}, "arguments": `;
    } else if (step.type === "tool-call-delta") yield inOrder(step.arguments, order);
    else if (step.type === "tool-call-end") yield "}\n</tool_call>";
  }
}

function inOrder(json: string, order: readonly string[]): string {
  const place = (name: string): number => {
    const at = order.indexOf(name);
    return at < 0 ? order.length : at;
  };
  const entries = Object.entries(JSON.parse(json) as object);
  return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => place(a) - place(b))));
}
