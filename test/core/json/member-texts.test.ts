import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRoundNumbers, memberTexts } from "../../../src/core/json/member-texts.js";
import { casesOf } from "../../kit/setup/random-cases.js";

describe("the text of a member", () => {
  it("is where JSON.parse finds its value, whatever stands around it", () => {
    const name = fc.oneof(fc.constantFrom("a", "b", "__proto__", "0", 'q"}', "\\", "\u2028"), fc.string());
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.jsonValue(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) => ({ members })),
      ),
    })).value;
    fc.assert(
      fc.property(tree, fc.constantFrom("", " ", "\n\t "), (value, space) => {
        const text = textOf(value, space);
        const paths = ["a", "a.b", "a.0", "a.0.a", "0.a", "b.1.b", "__proto__.a"];
        const found = memberTexts(text, paths).map((one) =>
          one === undefined ? one : (JSON.parse(one) as unknown),
        );
        expect(found).toEqual(paths.map((path) => valueAt(JSON.parse(text), path.split("."))));
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it.each([
    ['{"a":1.50,"b":{"c":9007199254740993}}', ["1.50", "9007199254740993"]],
    ['{"a":1,"b":{"c":2},"\\u0062":{"d":3},"a":"}\\\\"}', ['"}\\\\"', undefined]],
    ['{"b":{"c":[{"x":"\\"]"}]}}', [undefined, '[{"x":"\\"]"}]']],
    ["[]", [undefined, undefined]],
  ])("is exactly as it was written, the last of two with one name: %s", (text, expected) => {
    expect(memberTexts(text, ["a", "b.c"])).toEqual(expected);
  });
});

describe("a number that JSON.parse may round", () => {
  it("has 16 digits or more, or an exponent", () => {
    const long = ["9007199254740993", "-0.1234567890123456", "1e400", "1E-400", "[1,12345678901234567890]"];
    const short = ["900719925474099", "0.25", "[1,2,3]", '"edge 2e"', "true"];
    expect([...long, ...short].filter(mayRoundNumbers)).toEqual([...long, '"edge 2e"']);
  });
});

/** Returns a JSON text; objects are lists of members, so that names can repeat. */
function textOf(value: unknown, space: string): string {
  if (Array.isArray(value))
    return `[${space}${value.map((one) => textOf(one, space)).join(`${space},${space}`)}]`;
  if (typeof value !== "object" || value === null || !("members" in value)) return JSON.stringify(value);
  const members = (value.members as [string, unknown][]).map(
    ([name, one]) => `${JSON.stringify(name)}${space}:${space}${textOf(one, space)}${space}`,
  );
  return `{${space}${members.join(`,${space}`)}}`;
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt((value as Record<string, unknown>)[name], rest);
}
