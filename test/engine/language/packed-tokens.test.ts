import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packTokens, unpackTokens } from "../../../src/engine/language/packed-tokens.js";

describe("packed tokens", () => {
  it("unpack to the same tokens, including empty ones", () => {
    const token = fc.record({ id: fc.nat(2 ** 31), bytes: fc.array(fc.nat(255), { maxLength: 5 }) });
    fc.assert(
      fc.property(fc.uniqueArray(token, { selector: ({ id }) => id }), (tokens) => {
        const known = new Map(tokens.map(({ id, bytes }) => [id, Uint8Array.from(bytes)]));
        const packed = packTokens([...known.keys()], (id) => known.get(id) ?? new Uint8Array(0));
        expect(unpackTokens(packed).length).toBe(tokens.length);
        expect([...unpackTokens(packed)]).toEqual(tokens);
      }),
    );
  });
});
