import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldError } from "../../src/dialects/field-error.js";
import { boundedRecord, jsonObjectField, metadataField } from "../../src/dialects/request-fields.js";

const unread = (name: string) => ({
  enumerable: true,
  get: (): never => {
    throw new Error(`${name} is read`);
  },
});

function refusal(field: z.ZodType, value: unknown): string {
  const body = { field: value };
  const parsed = z.object({ field }).safeParse(body);
  return parsed.success ? "accepted" : fieldError(parsed.error, body).message;
}

describe("F26: an object with many members", () => {
  it("of JSON is accepted without reading one of them", () => {
    const object = Object.defineProperties({}, { a: unread("a"), b: unread("b") });
    expect(z.object({ field: jsonObjectField }).parse({ field: object }).field).toBe(object);
  });

  it("is refused before one of them is read where a field limits them", () => {
    const names = Array.from({ length: 17 }, (_, at) => `k${at}`);
    const pairs = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, unread(name)])));
    expect(refusal(metadataField, pairs)).toBe("field: must hold at most 16 pairs");
    expect(() => refusal(boundedRecord(z.record(z.string(), z.string()), 17, "pairs"), pairs)).toThrow(/k0/);
  });

  it.each([
    ["a list", []],
    ["null", null],
    ["a text", "{}"],
    ["a number", 1],
  ])("is not %s", (_what, value) => {
    expect(refusal(jsonObjectField, value)).toBe("field: must be an object");
    expect(refusal(metadataField, value)).toBe("field: must be an object");
  });

  it("is required where its field is", () => {
    expect(refusal(jsonObjectField, undefined)).toBe("field: is required");
  });
});
