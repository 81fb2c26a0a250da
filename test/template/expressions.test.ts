import { readFileSync } from "node:fs";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { JinjaTemplate } from "../../src/template/jinja.js";

/**
 * Templates and what Python's jinja2 3.1.6 renders them to, as transformers sets it up; null where it refuses them. The templates of
 * llama.cpp change lists, which transformers refuses.
 */
const groups = z
  .record(z.string(), z.record(z.string(), z.string().nullable()))
  .parse(JSON.parse(readFileSync(new URL("expressions.json", import.meta.url), "utf8")));

const variables = {
  l: ["a", "b", "c"],
  d: { a: 1, b: { c: [1, 2] } },
  people: [
    { name: "Ann", age: 30, city: "Rome" },
    { name: "bob", age: 20, city: "Bern" },
    { name: "Cid", age: 0, city: "Rome" },
  ],
};
/** 26 July 2024, 12:30:05 in UTC. */
const clock = { cpuMs: () => 0, nowMs: () => 1_721_997_005_000 };
const budget = { stepsMax: 100_000, cpuMsMax: 1_000, textLengthMax: 100_000 };

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = "UTC";
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** Returns the text, or null where the template is refused with a reason of its own. */
function rendered(source: string): string | null {
  try {
    const rendering = new JinjaTemplate(source, clock).render(variables, budget);
    if (rendering.type === "text") return rendering.text;
    expect(rendering).toEqual({
      type: "rejected",
      reason: expect.not.stringContaining("nested too deeply") as string,
    });
  } catch (thrown) {
    expect(String(thrown)).not.toContain("nested too deeply");
  }
  return null;
}

describe.each(Object.entries(groups))("a template, as Python's engine renders it: %s", (_, rows) => {
  it.each(Object.entries(rows))("%s", (source, text) => {
    expect(rendered(source)).toBe(text);
  });
});

it.each([
  ["none", "NoneType"],
  ["true", "bool"],
  ["1", "int"],
  ["1.5", "float"],
  ["(1, 2)", "tuple"],
  ["d.keys()", "dict_keys"],
  ["[1]", "list"],
  ["{}", "dict"],
  ["namespace()", "Namespace"],
  ["missing", "Undefined"],
  ["range", "function"],
])("the reason why a template is refused has Python's name of the type of %s", (expression, name) => {
  const template = new JinjaTemplate(`{{ ''.join([${expression}]) }}`, clock);
  expect(template.render(variables, budget)).toEqual({
    type: "rejected",
    reason: expect.stringContaining(`sequence item 0: expected str instance, ${name} found`) as string,
  });
});
