import { expect, it } from "vitest";
import { contextText } from "../../src/core/report/context-text.js";

it("the context of a model names what it was trained with only where that is more", () => {
  expect(contextText(8192, 131_072)).toBe("8192 of 131072 tokens");
  expect(contextText(8192, 8192)).toBe("8192 tokens");
  expect(contextText(2048, undefined)).toBe("2048 tokens");
});
