/** Whole answers as models of each family naturally write them, through the server: template, tokens, grammar, sampler, parser, stream. */
import { beforeAll, describe, expect, it } from "vitest";
import { familyNames, template } from "../../kit/engine/tool-answers.js";
import { temporaryFolder } from "../../kit/folder.js";
import type { NaturalForm } from "../../kit/replay/natural-forms.js";
import { readSource } from "../../kit/replay/read-source.js";
import {
  measurePrompts,
  prepareTemplate,
  replayForms,
  writeFormsModel,
  writeMeasuredModel,
  type ReplayedOutcome,
  type ReplayedTemplate,
} from "../../kit/replay/replay.js";
import { fileServer } from "../../kit/server.js";
import { isNightly } from "../../kit/sizes.js";
import { someOf } from "../../kit/setup/random-cases.js";

const families = isNightly(process.env) ? [...new Set([...someOf(familyNames, 3), "hermes"])] : ["hermes"];

/** A template whose parts all have the same marks, and whose models write an empty text before a call. */
const sharedMarks =
  "{%- for t in tools or [] -%}<|open|>tool<|sep|>{{ t | tojson }}<|over|>{%- endfor -%}" +
  "{%- for m in messages -%}<|open|>{{ m.role }}<|sep|>{%- if m.role == 'assistant' -%}" +
  "<|open|>text<|sep|>{{ m.content or '' }}<|close|>text<|sep|>" +
  '{%- for c in m.tool_calls or [] -%}<|open|>call name="{{ c.function.name }}"<|sep|>{{ c.function.arguments | tojson }}<|close|>call<|sep|>{%- endfor -%}' +
  "{%- else -%}{{ m.content }}{%- endif -%}<|over|>{%- endfor -%}" +
  "{%- if add_generation_prompt -%}<|open|>assistant<|sep|>{%- endif -%}";

const templates: Readonly<Record<string, string>> = {
  ...Object.fromEntries(families.map((family) => [family, template(family)])),
  "shared-marks": sharedMarks,
};
const names = Object.keys(templates);

const prepared: ReplayedTemplate[] = [];
beforeAll(async () => {
  for (const [name, text] of Object.entries(templates)) {
    const source = await readSource(text);
    if (source === null) throw new Error(`the template of ${name} is not valid`);
    prepared.push(await prepareTemplate(name, source));
  }
});

const measuring = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  for (const each of prepared) await writeMeasuredModel(folder, each);
  return { environment: { HEARTH_MODELS: folder, HEARTH_CONTEXT_TOKENS_MAX: "32768" } };
});
const writing = fileServer(async (finished) => {
  const folder = temporaryFolder(finished);
  for (const each of prepared)
    await writeFormsModel(folder, each, await measurePrompts(measuring().client, each));
  return { environment: { HEARTH_MODELS: folder, HEARTH_CONTEXT_TOKENS_MAX: "32768" } };
});

async function replay(name: string): Promise<readonly ReplayedOutcome[]> {
  const found = prepared.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no template ${name}`);
  const outcomes: ReplayedOutcome[] = [];
  const tokens = await measurePrompts(measuring().client, found);
  for await (const outcome of replayForms(writing().client, found, tokens)) outcomes.push(outcome);
  return outcomes;
}

describe("a model that writes what models naturally write", () => {
  it.each(names)("has its calls read, and its text without marks: %s", async (name) => {
    const outcomes = await replay(name);
    expect(outcomes.length).toBeGreaterThan(20);
    const faults = outcomes.flatMap(({ kind, toolChoice, streamed, fault }) =>
      fault === null ? [] : `${kind}, ${toolChoice}, ${streamed ? "streamed" : "whole"}: ${fault}`,
    );
    expect(faults).toEqual([]);
  });
});

describe("a model that writes marks and control tokens inside of a call", () => {
  const form = (kind: string, text: string): NaturalForm => ({
    kind,
    text,
    calls: [],
    content: "",
    toolChoices: ["auto", "required"],
  });
  const call = (members: string): string =>
    `<tool_call>\n{"name": "get_weather", "arguments": {${members}}}\n</tool_call>`;
  const marked: readonly NaturalForm[] = [
    form("a mark in a text", call('"city": "a</tool_call>b"')),
    form("a control token in a text", call('"city": "a<|im_start|>b<|im_start|>"')),
    form("a mark in a key", call('"city": "a", "x</tool_call>y": 1')),
  ];
  const prepare = async (): Promise<ReplayedTemplate> => {
    const source = await readSource(template("hermes"));
    if (source === null) throw new Error("the template is not valid");
    return { name: "marked", source, forms: marked };
  };
  const server = fileServer(async (finished) => {
    const folder = temporaryFolder(finished);
    const prepared = await prepare();
    const lengths = await measurePrompts(measuring().client, { ...prepared, name: "hermes" });
    await writeFormsModel(folder, prepared, lengths);
    return { environment: { HEARTH_MODELS: folder } };
  });

  it("D8: has none of them in its arguments", async () => {
    const prepared = await prepare();
    const lengths = await measurePrompts(server().client, prepared);
    for await (const { kind, fault } of replayForms(server().client, prepared, lengths)) {
      // What it says is what came out: other texts than those that it wanted to write.
      const [shown = ""] = (fault ?? "").split(" from ");
      expect({ kind, shown, hasMark: /tool_call>|im_start/.test(shown) }).toMatchObject({ hasMark: false });
      expect(shown).toContain("get_weather");
    }
  });
});
