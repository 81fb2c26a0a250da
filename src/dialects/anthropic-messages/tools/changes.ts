import type { MessageBody } from "../schema.js";
import type { ToolBody } from "./schema.js";

/** A change of the available tools in the course of a conversation. */
export type ToolChange =
  | { readonly type: "load" | "remove"; readonly name: string }
  | { readonly type: "define"; readonly definition: ToolBody; readonly param: string };

/** Returns the changes in the order of the conversation. */
export function toolChanges(messages: readonly MessageBody[]): readonly ToolChange[] {
  return messages.flatMap(({ content }, index) =>
    typeof content === "string"
      ? []
      : content.flatMap((block, at) => changesOf(block, `messages.${index}.content.${at}`)),
  );
}

type Block = Exclude<MessageBody["content"], string>[number];

function changesOf(block: Block, param: string): readonly ToolChange[] {
  switch (block.type) {
    case "tool_result":
    case "tool_search_tool_result":
      return referencesIn(block.content).map((name) => ({ type: "load", name }));
    case "tool_addition": {
      const { tool } = block;
      return tool.type === "tool_reference"
        ? [{ type: "load", name: tool.name }]
        : [{ type: "define", definition: tool.definition, param: `${param}.tool.definition` }];
    }
    case "tool_removal":
      return [{ type: "remove", name: block.tool.name }];
    default:
      return [];
  }
}

/** Returns the names of the tools that the result of a search refers to. */
function referencesIn(content: unknown): readonly string[] {
  if (typeof content !== "object" || content === null) return [];
  if ("tool_references" in content) return referencesIn(content.tool_references);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (typeof block !== "object" || block === null || !("tool_name" in block)) return [];
    return typeof block.tool_name === "string" ? [block.tool_name] : [];
  });
}
