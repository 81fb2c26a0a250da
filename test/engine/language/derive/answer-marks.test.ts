import { describe, expect, it } from "vitest";
import type { AnswerBuilder } from "../../../../src/engine/language/answer/answer.js";
import { createAnswer } from "../../../../src/engine/language/answer/create-answer.js";
import { createCallOpeningDetector } from "../../../../src/engine/language/tools/call-opening.js";
import { readSource } from "../../../kit/replay/read-source.js";
import { naturalTools } from "../../../kit/replay/natural-forms.js";

/** A template whose texts end with the mark that also begins what is before a call. */
const endsLikeACall =
  "{%- for t in tools or [] -%}tool<|role|>{{ t | tojson }}<|next|>{%- endfor -%}" +
  "{%- for m in messages -%}{{ m.role }}<|role|>{{ m.content or '' }}<|next|>" +
  '{%- for c in m.tool_calls or [] -%}call<|role|>{{ \'{\' }}"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}{{ \'}\' }}<|next|>{%- endfor -%}' +
  "{%- if m.role == 'assistant' -%}</s>{%- endif -%}{%- endfor -%}{%- if add_generation_prompt -%}assistant<|role|>{%- endif -%}";
/** A template whose texts have marks of their own. */
const markedText =
  "{%- for t in tools or [] -%}{{ t | tojson }}{%- endfor -%}" +
  "{%- for m in messages -%}<|turn|>{{ m.role }}{{ '\\n' }}{%- if m.role == 'assistant' -%}" +
  "{% if m.content %}<answer>{{ m.content }}</answer>{% endif %}" +
  '{%- for c in m.tool_calls or [] -%}<call>{{ \'{\' }}"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}{{ \'}\' }}</call>{%- endfor -%}' +
  "{%- else -%}{{ m.content }}{%- endif -%}<|over|>{%- endfor -%}{%- if add_generation_prompt -%}<|turn|>assistant{{ '\\n' }}{%- endif -%}";

type Job = Parameters<typeof createAnswer>[1];

async function answerOf(template: string): Promise<AnswerBuilder> {
  const source = await readSource(template);
  if (source === null) throw new Error("the template is not valid");
  const { reasoning, answerMarks } = source.reading;
  const language = { reasoning, answerMarks, tools: source.reading.template.tools };
  const job = {
    prompt: { tokens: [], startsInReasoning: false },
    stop: [],
    toolChoice: { mode: "auto" },
    callIdPrefix: "",
  };
  const calls = { tools: naturalTools, hidden: false };
  return createAnswer(
    language as unknown as Parameters<typeof createAnswer>[0],
    job as unknown as Job,
    calls,
  );
}

async function textOf(template: string, written: string): Promise<string> {
  const answer = await answerOf(template);
  const events = [
    ...[...written].flatMap((character) => answer.push(Buffer.from(character), null)),
    ...answer.finish(),
  ];
  expect(events.filter(({ type }) => type.startsWith("tool-call"))).toEqual([]);
  return events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
}

describe("a text whose end is also a piece of what begins a call", () => {
  it("has no mark, and begins no call", async () => {
    expect(await textOf(endsLikeACall, "It is noon.<|next|>")).toBe("It is noon.");
    const source = await readSource(endsLikeACall);
    const detector = source?.reading.template.tools.createOpeningDetector();
    expect(detector?.push("It is noon.<|next|>")).toBeNull();
    expect(detector?.push("call<|role|>")).toBe("<|next|>call<|role|>");
  });
});

describe("a text with marks of its own", () => {
  it("is shown without them", async () => {
    expect(await textOf(markedText, "<answer>It is noon.</answer>")).toBe("It is noon.");
    expect(await textOf(markedText, "It is noon.")).toBe("It is noon.");
  });
});

describe("the opening of a call", () => {
  it("is all that is written before the name, with any white space between the pieces", () => {
    const syntax = {
      section: { open: ["<calls>", "\n"], close: ["</calls>"] },
      between: [],
      before: ["<call>"],
      body: { type: "bare-name", afterName: ["<args>"] },
      after: ["</call>"],
    } as const;
    for (const text of ["<calls>", "<calls> and", "a <calls><calls>", "<calls>\n<cal"])
      expect(createCallOpeningDetector([syntax]).push(text)).toBeNull();
    for (const text of ["<calls><call>", "<calls>\n\n<call>f", "<calls> <calls><call>"])
      expect(createCallOpeningDetector([syntax]).push(text)).toMatch(/^<calls>\s*<call>f?$/);
  });
});
