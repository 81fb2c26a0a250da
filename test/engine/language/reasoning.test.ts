import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endsInReasoning, findReasoningMarks } from "../../../src/engine/language/reasoning.js";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const template = (family: string): string => read(`../../fixtures/tools/templates/${family}.jinja`);

describe("the reasoning markers", () => {
  it("are those of the built-in model, whose prompts do not end inside a block", () => {
    const builtIn = read("../../../scripts/train/chat/template.jinja");
    expect(findReasoningMarks(builtIn)).toEqual({ open: "<think>", close: "</think>", startsOpen: false });
  });

  it.each([
    ["deepseek-fenced", { open: "<think>", close: "</think>", startsOpen: true }],
    ["deepseek", { open: "<think>", close: "</think>", startsOpen: false }],
    ["glm", { open: "<think>", close: "</think>", startsOpen: true }],
    ["mistral-args", { open: "[THINK]", close: "[/THINK]", startsOpen: false }],
    ["command", { open: "<|START_THINKING|>", close: "<|END_THINKING|>", startsOpen: false }],
    ["granite", { open: "Here is my thought process:", close: "Here is my response:", startsOpen: false }],
    ["hermes", null],
    ["generic", null],
  ])("are found in the template of %s", (family, marks) => {
    expect(findReasoningMarks(template(family))).toEqual(marks);
  });

  it.each([
    [
      "<|start|>assistant<|channel|>analysis<|message|>{{ m.thinking }}<|end|>",
      "<|channel|>analysis<|message|>",
      "<|end|>",
    ],
    ["<seed:think>{{ m.reasoning }}</seed:think> <think>", "<seed:think>", "</seed:think>"],
    ["{{ m.content.split('</think>') | last }}", "<think>", "</think>"],
    ["◁think▷◁/think▷", "◁think▷", "◁/think▷"],
    ["<thought>", "<thought>", "</thought>"],
    ["<|inner_prefix|>", "<|inner_prefix|>", "<|inner_suffix|>"],
  ])("are recognised by the text %s", (text, open, close) => {
    expect(findReasoningMarks(text)).toEqual({ open, close, startsOpen: false });
  });

  it("show whether a rendered prompt ends inside the block", () => {
    const marks = { open: "<think>", close: "</think>" };
    expect(endsInReasoning(marks, "<|im_start|>assistant\n<think>\n")).toBe(true);
    expect(endsInReasoning(marks, "<|im_start|>assistant\n<think>\n\n</think>\n\n")).toBe(false);
    expect(endsInReasoning(marks, "say <think> please")).toBe(false);
  });
});
