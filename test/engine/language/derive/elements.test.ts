import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/core/generation.js";
import { readAnswer } from "../../../kit/engine/tool-answers.js";
import { formatFor } from "./derived-formats.js";

const format = formatFor("tags that are called as the key");
const texts = { type: "array", items: { type: "string" } };
const place = { type: "object", properties: { item: { type: "integer" }, code: { type: "string" } } };
const tool: Tool = {
  name: "plan",
  parameters: {
    type: "object",
    properties: { texts, place, places: { type: "array", items: place }, any: {}, a: {} },
  },
};

/** Returns the arguments of a call with these elements; `<` stands for the token before each tag. */
function read(elements: string): unknown {
  const marked = `<calls>\n<call name="plan">${elements}</call>\n</calls>`.replaceAll("<", "]<]token[>[<");
  const { text, calls, broken } = readAnswer(format, marked, [tool]);
  expect({ text, broken, count: calls.length }).toEqual({ text: "", broken: [], count: 1 });
  return calls[0]?.arguments;
}

describe("arguments whose values are elements", () => {
  it("are lists and objects by their schema", () => {
    expect(read("<texts><item>1</item><item> b</item></texts>")).toEqual({ texts: ["1", " b"] });
    expect(read("<texts><item>only</item></texts><place><item>7</item><code>07</code></place>")).toEqual({
      texts: ["only"],
      place: { item: 7, code: "07" },
    });
    expect(read("<places>\n<item><code>x</code></item>\n<item></item>\n</places>")).toEqual({
      places: [{ code: "x" }, {}],
    });
    expect(read("<texts></texts><place></place>")).toEqual({ texts: [], place: {} });
  });

  it("are read by their names where the schema states no type", () => {
    expect(read("<any><item>1</item><item><b>true</b></item></any>")).toEqual({ any: [1, { b: true }] });
    expect(read("<any>[1, {}]</any>")).toEqual({ any: [1, {}] });
  });

  it("may contain elements of their own name", () => {
    expect(read("<a><a><a>1</a></a><b>x</b></a>")).toEqual({ a: { a: { a: 1 }, b: "x" } });
  });

  it("stay text where they are not complete elements", () => {
    expect(read("<any><b>x</b> and more</any>")).toEqual({ any: "]<]token[>[<b>x]<]token[>[</b> and more" });
  });
});
