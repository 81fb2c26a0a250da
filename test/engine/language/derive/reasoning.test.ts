import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerText } from "../../../../src/engine/language/answer/answer-text.js";
import type { ReasoningMarks } from "../../../../src/engine/language/reasoning.js";
import { casesOf } from "../../../kit/setup/random-cases.js";
import { cuts } from "../../../kit/engine/tool-answers.js";
import { derivedOf } from "./derived-formats.js";

/** Returns a template whose turns of the model have the given text before their content. */
function templateOf(thought: string, prompt = "", around: readonly [string, string] = ["", ""]): string {
  return (
    "{%- for m in messages -%}<|turn|>{{ m.role }}{{ '\\n' }}" +
    `{%- if m.role == 'assistant' -%}${thought}${around[0]}{{ m.content }}${around[1]}{%- else -%}{{ m.content }}{%- endif -%}` +
    "<|over|>{{ '\\n' }}{%- endfor -%}" +
    `{%- if add_generation_prompt -%}<|turn|>assistant{{ '\\n' }}${prompt}{%- endif -%}`
  );
}

const written = (field: string, open: string, close: string): string =>
  `{%- if m.${field} -%}${open}{{ m.${field} }}${close}{%- endif -%}`;

interface Style {
  readonly template: string;
  readonly marks: ReasoningMarks | null;
}

const think = { open: "<think>", close: "</think>" };

const styles: Readonly<Record<string, Style>> = {
  none: { template: templateOf(""), marks: null },
  "a field of the turn": {
    template: templateOf(written("reasoning_content", "<think>\n", "\n</think>\n\n")),
    marks: { ...think, startsOpen: false },
  },
  "another field, and other marks": {
    template: templateOf(written("thinking", "[THINK]", "[/THINK]")),
    marks: { open: "[THINK]", close: "[/THINK]", startsOpen: false },
  },
  "marks that begin and end": {
    template: templateOf(written("reasoning", "<|START_X|>", "<|END_X|>"), "", [
      "<|START_ANSWER|>",
      "<|END_ANSWER|>",
    ]),
    marks: {
      open: "<|START_X|>",
      close: "<|END_X|>",
      startsOpen: false,
      answer: { open: "<|START_ANSWER|>", close: "<|END_ANSWER|>" },
    },
  },
  "a block that the prompt opens": {
    template: templateOf(written("reasoning_content", "<think>\n", "\n</think>\n\n"), "<think>{{ '\\n' }}"),
    marks: { ...think, startsOpen: true },
  },
  "a block that the prompt opens, and history that loses it": {
    template: templateOf("{# </think> #}", "<think>{{ '\\n' }}"),
    marks: { ...think, startsOpen: true },
  },
  "a block that the prompt closes where reasoning is off": {
    template: templateOf(
      "",
      "{%- if enable_thinking is false -%}<r:thought>{{ '\\n\\n' }}</r:thought>{%- endif -%}",
    ),
    marks: { open: "<r:thought>", close: "</r:thought>", startsOpen: false },
  },
  "parts of the content": {
    template: templateOf("").replace(
      "{{ m.content }}<|over|>",
      "{%- if m.content is string -%}{{ m.content }}{%- else -%}{%- for p in m.content -%}{{ '<b>' ~ p.thinking ~ '</b>' if p.thinking else p.text }}{%- endfor -%}{%- endif -%}<|over|>",
    ),
    marks: null,
  },
  "marks of several pieces": {
    template: templateOf(written("reasoning_content", "<|channel>thought\n", "<channel|>")),
    marks: { open: "<|channel>thought", close: "<channel|>", startsOpen: false },
  },
  "an empty block in each prompt, and reasoning in turns with calls only": {
    template: templateOf(
      "{%- if m.tool_calls -%}" +
        written("reasoning", "<|channel>thought\n", "\n<channel|>") +
        "<|call>{{ m.tool_calls | tojson }}<call|>{%- endif -%}",
      "{%- if not enable_thinking -%}<|channel>thought{{ '\\n' }}<channel|>{%- endif -%}",
    ),
    marks: { open: "<|channel>thought", close: "<channel|>", startsOpen: false },
  },
  "a text that only prompts have, and a mark after it": {
    template: templateOf(
      written("reasoning_content", "", "\n[NOW THE ANSWER]\n"),
      "Let me think:{{ '\\n' }}",
    ),
    marks: { open: "Let me think:", close: "[NOW THE ANSWER]", startsOpen: true },
  },
  "several marks after the answer": {
    template: templateOf(
      "{%- if thinking is not false -%}<|open|>think<|sep|>{{ m.reasoning_content }}<|close|>think<|sep|>{%- endif -%}<|open|>answer<|sep|>",
      "<|open|>{{ 'answer' if thinking is false else 'think' }}<|sep|>",
      ["", "<|close|>answer<|sep|><|close|>turn<|sep|>"],
    ),
    marks: {
      open: "think<|sep|>",
      close: "<|close|>think<|sep|><|open|>answer<|sep|>",
      startsOpen: true,
      answer: { open: "", close: "<|close|>answer<|sep|><|close|>turn<|sep|>" },
    },
  },
  "messages of their own": {
    template: templateOf(
      written("reasoning_content", "<|say|>thought<|text|>", "<|stop|><|turn|>assistant{{ '\\n' }}"),
      "",
      [
        "{%- if m.tool_calls -%}<|say|>calls<|text|>{{ m.tool_calls | tojson }}{%- else -%}<|say|>answer<|text|>{%- endif -%}",
        "",
      ],
    ),
    marks: {
      open: "<|say|>thought<|text|>",
      close: "<|stop|><|turn|>assistant",
      startsOpen: false,
      answer: { open: "<|say|>answer<|text|>", close: "" },
    },
  },
};

const names = Object.keys(styles);

describe("the reasoning marks that are derived from a template", () => {
  it.each(names)("are those that it writes: %s", async (name) => {
    const { template = "", marks } = styles[name] ?? {};
    const derived = await derivedOf(template);
    expect(derived?.reasoning ?? null).toEqual(marks);
  });

  it.each(names.filter((name) => styles[name]?.marks !== null))(
    "never occur in the text or the reasoning of an answer, however it is split and wherever it ends: %s",
    async (name) => {
      const marks = styles[name]?.marks ?? null;
      if (marks === null) return;
      const { open, close, answer } = marks;
      const whole = `${open}\nIt is {x}.\n${close}\n\n${answer?.open ?? ""}Yes <b>.${answer?.close ?? ""}`;
      await fc.assert(
        fc.asyncProperty(cuts(whole), fc.nat({ max: whole.length }), (parts, end) => {
          const text = new AnswerText({ marks, startsInReasoning: false, stop: [] });
          let left = end;
          const given = parts.flatMap((piece) => {
            const kept = piece.slice(0, left);
            left -= kept.length;
            return kept === "" ? [] : text.push(Buffer.from(kept));
          });
          const all = [...given, ...text.finish()];
          const of = (type: string): string =>
            all.flatMap((each) => (each.type === type ? [each.text] : [])).join("");
          // A cut mark is a part of a mark; a whole one is none.
          if (end === whole.length) {
            expect(of("reasoning")).toBe("It is {x}.");
            expect(of("text")).toBe("Yes <b>.");
          }
          const pieces = (answer?.close ?? "").match(/<[^<>]*>/g) ?? [];
          for (const mark of [open, close, answer?.open, answer?.close, ...pieces])
            if (mark !== undefined && mark !== "") expect(of("text") + of("reasoning")).not.toContain(mark);
          return Promise.resolve();
        }),
        { numRuns: casesOf(200) },
      );
    },
  );
});
