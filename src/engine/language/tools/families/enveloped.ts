/** Families whose call is one JSON object with the name and the arguments. */
import type { ToolFamily } from "../family.js";
import type { CallSyntax, EnvelopeBody } from "../syntax.js";

const envelope: EnvelopeBody = {
  type: "envelope",
  nameKey: "name",
  argumentsKey: "arguments",
  alsoRead: { arguments: ["parameters"] },
};

export const hermesCall: CallSyntax = {
  between: ["\n"],
  before: ["<tool_call>", "\n"],
  body: envelope,
  after: ["\n", "</tool_call>"],
};

export const hermes: ToolFamily = {
  name: "hermes",
  signs: { all: ["<tool_call>"], none: ["<function=", "<arg_key>", "<|tool_call|>"] },
  syntaxes: [hermesCall],
};

const llamaEnvelope: EnvelopeBody = {
  type: "envelope",
  nameKey: "name",
  argumentsKey: "parameters",
  alsoRead: { name: ["function"], arguments: ["arguments"] },
  otherKeys: ["type", "id"],
};

export const llama: ToolFamily = {
  name: "llama",
  signs: { all: ["<|start_header_id|>"], any: ["<|python_tag|>", "ipython"], none: ["<tool_call>"] },
  syntaxes: [
    { between: ["; "], before: [], body: llamaEnvelope, after: [], wholeAnswer: true },
    {
      between: ["; "],
      before: [],
      body: { ...llamaEnvelope, before: '"type": "function", ' },
      after: [],
      wholeAnswer: true,
    },
    { between: [], before: ["<|python_tag|>"], body: { ...llamaEnvelope, python: true }, after: [] },
    {
      between: [],
      before: ["<function="],
      body: { type: "bare-name", afterName: [">"] },
      after: ["</function>"],
    },
  ],
};

export const gemma: ToolFamily = {
  name: "gemma",
  signs: { all: ["<start_of_turn>"], none: ["<tool_call>", "<start_function_call>", "tool_calls"] },
  syntaxes: [
    {
      between: ["\n"],
      before: ["```tool_code", "\n"],
      body: { ...envelope, python: true },
      after: ["\n", "```"],
    },
  ],
  resultMarks: ["```tool_output\n", "\n```"],
};

/** `[{...}, {...}]` after a mark. */
function listAfter(
  open: readonly string[],
  close: readonly string[],
  body: EnvelopeBody = envelope,
): CallSyntax {
  return {
    section: { open: [...open, "["], close: ["]", ...close] },
    between: [",", " "],
    before: [],
    body,
    after: [],
  };
}

export const mistral: ToolFamily = {
  name: "mistral",
  signs: { all: ["[TOOL_CALLS]"], none: ["[ARGS]"] },
  syntaxes: [listAfter(["[TOOL_CALLS]", " "], [], { ...envelope, members: [{ key: "id", place: "last" }] })],
  ids: "nine",
};

export const granite: ToolFamily = {
  name: "granite",
  signs: { all: ["<|start_of_role|>"], any: ["<|tool_call|>", "available_tools"], none: ["<tool_call>"] },
  syntaxes: [listAfter(["<|tool_call|>"], [])],
};

export const phi: ToolFamily = {
  name: "phi",
  signs: { all: ["<|tool|>", "<|/tool|>"] },
  syntaxes: [listAfter(["<|tool_call|>"], ["<|/tool_call|>"])],
  definitionsInSystem: true,
};

export const command: ToolFamily = {
  name: "command",
  signs: { all: ["<|START_ACTION|>"] },
  syntaxes: [
    listAfter(["<|START_ACTION|>"], ["<|END_ACTION|>"], {
      type: "envelope",
      nameKey: "tool_name",
      argumentsKey: "parameters",
      members: [{ key: "tool_call_id", place: "first" }],
    }),
  ],
};
