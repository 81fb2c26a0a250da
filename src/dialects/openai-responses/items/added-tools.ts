import { invalidValue } from "../../field-error.js";
import type { AddedTools } from "../tools/parse.js";
import { toolSchema } from "../tools/schema.js";
import type { InputItem } from "./input-item-schema.js";

/**
 * Returns the tools that items add.
 * @param toParam the field that has the tools of the item at an index.
 * @throws HearthError `invalid_value` that names what is not a tool.
 */
export function addedTools(
  items: readonly InputItem[],
  toParam: (index: number) => string,
): readonly AddedTools[] {
  return items.flatMap((item, index) => {
    if (item.type !== "tool_search_output" && item.type !== "additional_tools") return [];
    const param = toParam(index);
    const tools = item.tools.map((tool, at) => {
      const parsed = toolSchema.safeParse(tool);
      if (!parsed.success) throw invalidValue(`${param}.${at}`, "is not the definition of a tool");
      return parsed.data;
    });
    return [{ tools, param }];
  });
}
