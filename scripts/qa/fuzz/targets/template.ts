import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual, types } from "node:util";
import { createContext, Script } from "node:vm";
import { JinjaTemplate, type Rendering } from "../../../../src/template/jinja.js";
import { filters } from "../../../../src/template/library/filters.js";
import { dictionaryMethods, listMethods } from "../../../../src/template/library/methods-collections.js";
import { textMethods } from "../../../../src/template/library/methods-text.js";
import { tests } from "../../../../src/template/library/tests.js";
import { root } from "../../world/root.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

/** Small bounds, so that each input is short. */
const budget = { stepsMax: 5_000, cpuMsMax: 1_000, textLengthMax: 400 };
const renderMsMax = 500;
const templates = join(root, "test", "fixtures", "tools", "templates");

const tool = {
  type: "function",
  function: {
    name: "f",
    description: "d",
    parameters: { type: "object", properties: { a: { type: "string" } } },
  },
};
const variables = {
  messages: [
    { role: "system", content: "s" },
    { role: "user", content: "Hello <|im_end|>" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: { a: "1" } } }],
    },
    { role: "tool", content: "r", tool_call_id: "c" },
  ],
  tools: [tool],
  add_generation_prompt: true,
  enable_thinking: false,
  bos_token: "<s>",
  eos_token: "</s>",
};

const ofJavaScript =
  /^(Cannot (read|set|convert|destructure)|Maximum call stack|Invalid (array|string|count|time)|Converting circular)|(?<!^'\w+' object |^argument of type '\w+' )is not (a function|iterable)$/;

/** As in the process of a renderer: a script has a time limit that also ends a loop inside the library. */
const timed: { run: () => Rendering } = { run: () => ({ type: "rejected", reason: "" }) };
const context = createContext(timed);
const script = new Script("run()");

export const target: FuzzTarget = {
  guarantee:
    "a template gives a text, is invalid, is rejected or exceeds its budget, and leaves its variables alone",
  format: "text",
  parts: /\{%[^]*?%\}|\{\{[^]*?\}\}|[^{]+|\{/g,
  bytesMax: 2048,
  msMax: 5000,
  corpus: "template",
  words: [
    "{%",
    "%}",
    "{{",
    "}}",
    "{#",
    "#}",
    "-%}",
    "{%-",
    "|",
    "~",
    "is",
    "not",
    "endfor",
    "endif",
    "endmacro",
    "loop.index",
    ...[...filters.keys()].map((name) => `|${name}`),
    ...[...tests.keys()].map((name) => `is ${name} `),
    ...[...textMethods.keys(), ...listMethods.keys(), ...dictionaryMethods.keys()].map((name) => `.${name}(`),
    ...["range", "namespace", "cycler", "joiner", "dict", "strftime_now", "raise_exception"].map(
      (name) => `${name}(`,
    ),
    ...[
      "call",
      "endcall",
      "filter",
      "endfilter",
      "with",
      "endwith",
      "generation",
      "endgeneration",
      "raw",
      "endraw",
    ],
    ...["break", "continue", "recursive", "set", "endset", "macro", "caller()", "varargs", "kwargs", "'%s'%"],
  ],
  seeds: () =>
    readdirSync(templates)
      .sort()
      .map((name) => readFileSync(join(templates, name))),
  run(input) {
    const source = Buffer.from(input).toString("utf8");
    const given = structuredClone(variables);
    const result = rendered(source, given);
    check(isDeepStrictEqual(given, variables), () => "rendering changed the variables");
    if (result.type === "text") {
      check(typeof result.text === "string", () => `the text is a ${typeof result.text}`);
      check(
        result.text.length <= budget.textLengthMax,
        () => `the text has ${result.text.length} characters`,
      );
      const again = rendered(source, given);
      // The time of day may differ, and so may what is left of the time limit when the machine is busy.
      const isSame =
        again.type === "exceeded" || source.includes("strftime") || isDeepStrictEqual(again, result);
      check(isSame, () => "rendering again gives another text");
      return "text";
    }
    const said = result.type === "exceeded" ? result.limit : result.reason;
    check(typeof said === "string", () => `the reason is a ${typeof said}`);
    check(!ofJavaScript.test(said), () => `the reason is an error of JavaScript itself: ${said}`);
    return `${result.type} ${toLabel(said).slice(0, 40)}`;
  },
};

function rendered(source: string, given: Readonly<Record<string, unknown>>): Rendering {
  timed.run = () => {
    let template: JinjaTemplate;
    try {
      template = new JinjaTemplate(source, { cpuMs: () => 0, nowMs: () => 0 });
    } catch (thrown) {
      check(thrown instanceof Error, () => `what is no template throws ${String(thrown)}`);
      return { type: "invalid", reason: thrown instanceof Error ? thrown.message : "" };
    }
    return template.render(given, budget);
  };
  try {
    return script.runInContext(context, { timeout: renderMsMax }) as Rendering;
  } catch (thrown) {
    if (!types.isNativeError(thrown) || !("code" in thrown) || thrown.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw thrown;
    return { type: "exceeded", limit: "needs more than its time" };
  }
}
