/** Families that write a list of Python calls, which their templates do not show. */
import type { ToolFamily } from "../family.js";
import type { CallSyntax, NotationBody } from "../syntax.js";

const python: NotationBody = {
  type: "notation",
  open: "(",
  close: ")",
  assign: "=",
  separator: ", ",
  quote: '"',
  escapes: true,
  nested: "python",
  pythonWords: true,
};

/** `[name(key="value"), other()]` between marks. */
function listBetween(open: readonly string[], close: readonly string[]): CallSyntax {
  return {
    section: { open: [...open, "["], close: ["]", ...close] },
    between: [",", " "],
    before: [],
    body: python,
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
