/** Families that write the bare name between marks, followed by the arguments as a JSON object. */
import type { ToolFamily } from "../family.js";
import type { CallSyntax } from "../syntax.js";

export const mistralArgs: ToolFamily = {
  name: "mistral-args",
  signs: { all: ["[TOOL_CALLS]", "[ARGS]"] },
  syntaxes: [
    {
      between: [],
      before: ["[TOOL_CALLS]"],
      body: {
        type: "bare-name",
        afterName: ["[ARGS]"],
        idAfterName: { mark: "[CALL_ID]", characters: "a-zA-Z0-9" },
      },
      after: [],
    },
  ],
  ids: "nine",
};

const deepseekSection = { open: ["<｜tool▁calls▁begin｜>"], close: ["<｜tool▁calls▁end｜>"] };

export const deepseekFenced: ToolFamily = {
  name: "deepseek-fenced",
  signs: { all: ["<｜tool▁call▁begin｜>", "```json"] },
  syntaxes: [
    {
      section: deepseekSection,
      between: ["\n"],
      before: ["<｜tool▁call▁begin｜>", "function", "<｜tool▁sep｜>"],
      body: { type: "bare-name", afterName: ["\n", "```json", "\n"] },
      after: ["\n", "```", "<｜tool▁call▁end｜>"],
    },
  ],
  argumentsAsText: true,
  emptyContent: null,
  separatesText: true,
};

export const deepseek: ToolFamily = {
  name: "deepseek",
  signs: { all: ["<｜tool▁call▁begin｜>"], none: ["```json"] },
  syntaxes: [
    {
      section: deepseekSection,
      between: [],
      before: ["<｜tool▁call▁begin｜>"],
      body: { type: "bare-name", afterName: ["<｜tool▁sep｜>"] },
      after: ["<｜tool▁call▁end｜>"],
    },
  ],
  argumentsAsText: true,
};

export const kimi: ToolFamily = {
  name: "kimi",
  signs: { all: ["<|tool_call_begin|>", "<|tool_call_argument_begin|>"] },
  syntaxes: [
    {
      section: { open: ["<|tool_calls_section_begin|>"], close: ["<|tool_calls_section_end|>"] },
      between: [],
      before: ["<|tool_call_begin|>", "functions."],
      body: {
        type: "bare-name",
        afterName: ["<|tool_call_argument_begin|>"],
        idAfterName: { mark: ":", characters: "0-9" },
      },
      after: ["<|tool_call_end|>"],
    },
  ],
  ids: "numbered",
  argumentsAsText: true,
};

/** Models write the type of the content with a mark, without one, or not at all. Without a mark, only its space ends the name. */
const contentTypes = [[" json", "<|message|>"], ["<|message|>"]];

export const harmony: ToolFamily = {
  name: "harmony",
  signs: { all: ["<|channel|>", "<|message|>"] },
  syntaxes: [
    channelFirst("commentary"),
    channelFirst("analysis"),
    recipientFirst(["<|start|>", "assistant", " to=functions."], "<|start|>assistant to=functions."),
    { ...recipientFirst([" ", "to=functions."], "to=functions."), wholeAnswer: true },
  ],
  messages: true,
  oneCall: true,
};

function channelFirst(channel: string): CallSyntax {
  return {
    between: [],
    before: [`<|channel|>${channel}`, " to=functions."],
    body: {
      type: "bare-name",
      afterName: [" ", "<|constrain|>", "json", "<|message|>"],
      alsoAfterName: contentTypes,
    },
    after: ["<|call|>"],
    endsTurn: true,
    opening: `<|channel|>${channel} to=functions.`,
    preface: "<|start|>assistant",
  };
}

/** Returns the syntax with the recipient before the channel. */
function recipientFirst(before: readonly string[], opening: string): CallSyntax {
  return {
    between: [],
    before,
    body: {
      type: "bare-name",
      afterName: ["<|channel|>", "commentary", " ", "<|constrain|>", "json", "<|message|>"],
      alsoAfterName: ["commentary", "analysis"].flatMap((channel) =>
        contentTypes.map((type) => [`<|channel|>${channel}`, ...type]),
      ),
    },
    after: ["<|call|>"],
    endsTurn: true,
    opening,
  };
}
