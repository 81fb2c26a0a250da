/** Families that write every argument between its own marks. */
import type { ToolFamily } from "../family.js";

const parameterTags = {
  type: "tagged",
  afterName: [">", "\n"],
  keyOpen: "<parameter=",
  keyClose: [">"],
  padding: "\n",
  valueClose: ["</parameter>", "\n"],
} as const;

export const qwenCoder: ToolFamily = {
  name: "qwen-coder",
  signs: { all: ["<function=", "<parameter="] },
  syntaxes: [
    {
      between: ["\n"],
      before: ["<tool_call>", "\n", "<function="],
      body: parameterTags,
      after: ["</function>", "\n", "</tool_call>"],
    },
    {
      between: ["\n"],
      before: ["<function="],
      body: parameterTags,
      after: ["</function>", "\n", "</tool_call>"],
    },
  ],
};

export const glm: ToolFamily = {
  name: "glm",
  signs: { all: ["<arg_key>", "<arg_value>"] },
  syntaxes: [
    {
      between: ["\n"],
      before: ["<tool_call>"],
      body: {
        type: "tagged",
        afterName: ["\n"],
        keyOpen: "<arg_key>",
        keyClose: ["</arg_key>", "\n", "<arg_value>"],
        padding: "",
        valueClose: ["</arg_value>", "\n"],
      },
      after: ["</tool_call>"],
    },
  ],
};
