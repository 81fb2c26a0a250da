import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createObjectKeys, repeatedKey } from "../../../src/core/json/object-keys.js";

/** A JSON text, and whether one of its objects has a key twice. */
interface Written {
  readonly text: string;
  readonly repeats: boolean;
}

const space = fc.constantFrom("", " ", "\n  ");
const string = fc
  .constantFrom("a", "b", "", '"', "\\", "{", "a,b", "é🎉", '\\"a')
  .map((text) => JSON.stringify(text));
const { value } = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(string, fc.constantFrom("1", "null", "-2.5e3")).map((text) => ({ text, repeats: false })),
    fc.tuple(fc.array(tie("value"), { maxLength: 3 }), space).map(([items, gap]) => ({
      text: `[${gap}${items.map(({ text }) => text).join(`,${gap}`)}]`,
      repeats: items.some(({ repeats }) => repeats),
    })),
    fc.tuple(fc.array(fc.tuple(string, tie("value")), { maxLength: 4 }), space).map(([members, gap]) => ({
      text: `{${members.map(([key, item]) => `${gap}${key}:${gap}${item.text}`).join(",")}${gap}}`,
      repeats:
        new Set(members.map(([key]) => key)).size < members.length ||
        members.some(([, item]) => item.repeats),
    })),
  ),
}));

describe("the keys of a JSON text", () => {
  it("repeat exactly if an object has the same key twice, however the text is cut", () => {
    fc.assert(
      fc.property(value, fc.nat(8), ({ text, repeats }, size) => {
        expect(repeatedKey(text) !== null, text).toBe(repeats);
        const keys = createObjectKeys();
        let found = false;
        for (let at = 0; at < text.length; at += size + 1)
          found = keys.push(text.slice(at, at + size + 1)) !== null || found;
        expect(found).toBe(repeats);
      }),
      { numRuns: 400 },
    );
  });

  it("may repeat only where a repeated one can still end", () => {
    fc.assert(
      fc.property(value, fc.nat(), ({ text }, cut) => {
        const keys = createObjectKeys();
        const at = cut % (text.length + 1);
        if (keys.push(text.slice(0, at)) !== null || keys.mayRepeat !== null) return;
        // Nothing that follows inside this object's next string ends a repeated key.
        const rest = /^[^"\\{}[\],]*"?/.exec(text.slice(at))?.[0] ?? "";
        expect(keys.copy().push(rest), `${text.slice(0, at)} | ${rest}`).toBeNull();
      }),
      { numRuns: 400 },
    );
  });

  it("are those of the object that a copy continues, and the original stays", () => {
    const keys = createObjectKeys();
    keys.push('Well: {"a": {"a": 1, "b');
    expect(keys.mayRepeat).toBeNull();
    expect(keys.copy().push('"')).toBeNull();
    expect(keys.copy().push('": 1, "a"')).toBe("a");
    expect(keys.push('": 1}, "')).toBeNull();
    expect([keys.mayRepeat, keys.copy().push('a"'), keys.copy().push('b"')]).toEqual([
      "inside a key",
      "a",
      null,
    ]);
  });
});
