import { expect, it } from "vitest";
import {
  createBoundError,
  GrammarTooWide,
  isBeyondBound,
} from "../../../src/engine/language/answer/grammar-bounds.js";

it("D13: the error of a grammar beyond a bound names the schema and the place, and no other error is one", () => {
  expect(createBoundError(null, false)).toMatchObject({
    kind: "invalid_value",
    code: "invalid_schema",
    param: null,
    message: expect.stringMatching(/^The schema allows .* at the beginning of the answer:/) as string,
  });
  expect(createBoundError("/a/0", false)).toMatchObject({
    param: null,
    message: expect.stringContaining("at '/a/0' of the answer:") as string,
  });
  expect(createBoundError("/a/0", true)).toMatchObject({
    param: "tools",
    message: expect.stringMatching(/^The tool's schema allows .* at '\/a\/0' of the call:/) as string,
  });
  expect(createBoundError(null, true).message).toContain("at the beginning of the call:");
  expect(isBeyondBound(new GrammarTooWide())).toBe(true);
  expect(isBeyondBound(new Error("hearth: a grammar takes too long for one token"))).toBe(true);
  expect([new Error("another"), "hearth", null].map(isBeyondBound)).toEqual([false, false, false]);
});
