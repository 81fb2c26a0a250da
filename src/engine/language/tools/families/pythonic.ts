/** Families that write a list of Python calls, which their templates do not show. */
import type { ToolFamily } from "../family.js";
import type { CallSyntax } from "../syntax.js";
import { pythonCall } from "../unmarked.js";

/** `[name(key="value"), other()]` between marks. */
function listBetween(open: readonly string[], close: readonly string[]): CallSyntax {
  return {
    section: { open: [...open, "["], close: ["]", ...close] },
    between: [",", " "],
    before: [],
    body: pythonCall,
    after: [],
  };
}

export const lfm: ToolFamily = {
  name: "lfm",
  signs: { all: [], any: ["<|tool_list_start|>", "List of tools: ["] },
  syntaxes: [listBetween(["<|tool_call_start|>"], ["<|tool_call_end|>"])],
};

export const llama4: ToolFamily = {
  name: "llama4",
  signs: { all: ["<|header_start|>"], none: ["<tool_call>"] },
  syntaxes: [
    { ...listBetween([], []), wholeAnswer: true },
    listBetween(["<|python_start|>"], ["<|python_end|>"]),
  ],
};
