/** Completes items of clients for lists: clients that read the lists need members that those who send items may leave out. Pure. */
import type { InputItem } from "./input-item-schema.js";

/** Returns an item as lists show it. What is stored, and the prompt, stay as the client sent them. */
export function presentItem<Item extends InputItem>(item: Item): Item {
  switch (item.type) {
    case "shell_call": {
      const { action } = item;
      const fields = typeof action === "object" && action !== null ? action : {};
      const limits = { timeout_ms: null, max_output_length: null };
      return {
        environment: { type: "local" },
        ...item,
        ...completed(item),
        action: { ...limits, ...fields },
      };
    }
    case "shell_call_output":
      return { max_output_length: null, ...item, ...completed(item) };
    case "custom_tool_call":
    case "custom_tool_call_output":
    case "local_shell_call":
    case "local_shell_call_output":
    case "apply_patch_call":
    case "apply_patch_call_output":
    case "tool_search_call":
    case "tool_search_output":
      return { ...item, ...completed(item) };
    default:
      return item;
  }
}

function completed(item: InputItem): { readonly status: unknown } {
  return { status: ("status" in item ? item.status : null) ?? "completed" };
}
