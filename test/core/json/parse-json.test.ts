import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { stepBytes } from "../../../src/core/json/decode-json.js";
import { parseJson } from "../../../src/core/json/parse-json.js";

const parsed = async (text: string): Promise<unknown> => (await parseJson(Buffer.from(text))).value;
/** Longer than the strings that are extracted from a body before it is parsed. */
const base64 = Buffer.alloc(210_000, "hearth").toString("base64");
const dataUrl = `data:image/png;base64,${base64}`;

describe("a body with long strings", () => {
  const long = fc.constantFrom(
    base64,
    dataUrl,
    `${base64}AA==`,
    `${base64}-_`,
    `${base64}=`,
    `${base64} `,
    `${base64}"\\`,
    `${base64}é`,
  );
  const small = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const { body } = fc.letrec<{ body: unknown }>((tie) => ({
    body: fc.oneof(
      { maxDepth: 4 },
      small,
      long,
      fc.array(tie("body"), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("__proto__", "constructor", base64)),
        tie("body"),
        { maxKeys: 4 },
      ),
    ),
  }));

  it("is parsed to the result of JSON.parse, whatever its content", async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(undefined, 2, "\t"), async (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(await parsed(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 60 },
    );
  });

  it("keeps a member named __proto__ as a plain member", async () => {
    const value = (await parsed(`{"__proto__":"${base64}"}`)) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([["__proto__", base64]]);
  });

  it("uses the last of two members with the same name", async () => {
    expect(await parsed(`{"a":"${base64}","a":1}`)).toEqual({ a: 1 });
    expect(await parsed(`{"a":1,"a":"${dataUrl}"}`)).toEqual({ a: dataUrl });
  });

  it.each([
    ["a bare line break in it", `["${base64}\n"]`],
    ["a bare line break instead of a letter of it", `["${base64.slice(1)}\n"]`],
    ["two bare line breaks in it", `["${base64}\n\n"]`],
    ["a bare line break before its padding", `["${base64}AA\n="]`],
    ["a bare line break in the head of a data URL", `["data:image/png;\nbase64,${base64}"]`],
    ["no closing quote", `["${base64}`],
    ["two of them side by side", `["${base64}""${base64}"]`],
    ["one for a member's name and no value", `{"${base64}"}`],
  ])("is rejected with %s, as by JSON.parse", async (_case, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    await expect(parsed(text)).rejects.toThrow(/not valid JSON/);
  });

  it("is rejected if the remainder is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from(`["${base64}","`), Buffer.from([0xff]), Buffer.from('"]')]);
    await expect(parseJson(bytes)).rejects.toThrow(/not valid UTF-8/);
  });
});

it("keeps the text of a body with a number that a double may not keep, wherever the number stands", async () => {
  const kept = async (text: string): Promise<string | null> => (await parseJson(Buffer.from(text))).text;
  for (const text of ["9007199254740993", "[9007199254740993]", '{"a":[1e5,2]}'])
    expect(await kept(text)).toBe(text);
  expect(await kept('{"a":[900719925474099,"9007199254740993"]}')).toBeNull();
});

describe("F21: a body that would occupy the event loop", () => {
  const objects = (count: number) => `[${Array(count).fill("{}").join()}]`;
  const members = (count: number) => `{${Array(count).fill('"a":1').join()}}`;
  const numbers = (count: number) => `[${Array(count).fill("1").join()}]`;

  it.each([
    ["arrays and objects", objects, 99_999],
    ["members of objects", members, 100_000],
    ["values", numbers, 1_200_001],
  ])("is a 400 when it has too many %s, and is read up to the limit", async (what, text, max) => {
    expect(JSON.stringify(await parsed(text(max)))).toBe(JSON.stringify(JSON.parse(text(max))));
    await expect(parsed(text(max + 1))).rejects.toMatchObject({
      kind: "malformed",
      message: expect.stringContaining(what) as string,
    });
  });

  it.each([
    ["text", `{"a":"${"é".repeat(4_000_000)}"}`],
    ["white space", `{"a":${" ".repeat(8_000_000)}1}`],
  ])("lets other work run after every megabyte of %s", async (_what, text) => {
    let turns = 0;
    let isRunning = true;
    const turn = (): void => {
      turns += 1;
      if (isRunning) setImmediate(turn);
    };
    setImmediate(turn);
    await parsed(text);
    isRunning = false;
    expect(turns).toBeGreaterThanOrEqual(7);
  });
});

describe("F26: a body of megabytes is parsed in steps", () => {
  const filler = "x".repeat(600);
  const many = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [...many(60, filler), deep(levels - 1)]);
  const bodies: Readonly<Record<string, string>> = {
    "one text": JSON.stringify({ a: filler.repeat(6_000) }),
    "a text of escapes": JSON.stringify({ a: '"\\\n'.repeat(700_000) }),
    "a text of escaped surrogate pairs": `{"a":"${"\\ud83d\\ude00".repeat(300_000)}"}`,
    "a text of characters of four bytes": JSON.stringify({ a: "😀".repeat(900_000) }),
    "a long name": JSON.stringify({ b: 1, ["n\n".repeat(1_000_000)]: 2, c: [3] }),
    messages: JSON.stringify({ messages: many(6_000, { role: "user", content: filler }) }),
    numbers: JSON.stringify({ prompt: many(900_000, 12) }),
    members: JSON.stringify(Object.fromEntries(many(90_000, "v").map((value, at) => [`k${at}`, value]))),
    "nested lists": JSON.stringify(deep(100)),
    "lists of lists": JSON.stringify(many(30, many(1_000, ["é", filler.slice(0, 100)]))),
  };

  it.each(Object.entries(bodies))("%s", async (_name, text) => {
    const expected: unknown = JSON.parse(text);
    const parse = vi.spyOn(JSON, "parse");
    const value = await parsed(text);
    const longest = Math.max(...parse.mock.calls.map(([piece]) => piece.length));
    parse.mockRestore();
    expect(longest).toBeLessThan(2 * stepBytes);
    expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
  });

  const long = JSON.stringify(many(1_000, filler)).slice(1, -1);
  it.each([
    ["an empty place in a list", `[${long},,${long}]`],
    ["a comma at the end", `[${long},]`],
    ["a comma at the beginning", `[,[${long}]]`],
    ["two values side by side", `[[${long}] [${long}]]`],
    ["a bracket of another kind", `{"a":[${long}}}`],
    ["a name without a value", `{"a":[${long}],"b"}`],
    ["a value without a name", `{"a":[${long}],[${long}]}`],
    ["a name that is a number", `{1:[${long}]}`],
    ["two names", `{"a":"b":[${long}]}`],
    ["something after its end", `[[${long}]]x`],
    ["two bodies", `[${long}][${long}]`],
    ["no end", `[[${long}]`],
    ["one bracket too many", `[[${long}]]]`],
  ])("is refused as by JSON.parse with %s", async (_name, text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    await expect(parsed(text)).rejects.toMatchObject({ kind: "malformed" });
  });

  it("refuses a number that takes long to read", async () => {
    await expect(parsed(`[${"1".repeat(10_001)}]`)).rejects.toMatchObject({ kind: "malformed" });
  });
});
