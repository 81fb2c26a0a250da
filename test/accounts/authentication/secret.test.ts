import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactSecret } from "../../../src/core/report/redact-secret.js";
import { hashSecret, issueSecret, looksMistyped } from "../../../src/accounts/credentials/secret.js";
import type { Random } from "../../../src/core/random.js";

/** Seeded random bytes, uniformly distributed. */
function seeded(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return { bytes: (size) => Uint8Array.from({ length: size }, next), id: () => "" };
}

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const prefixes = fc.constantFrom("hk-" as const, "hm-" as const);

describe("an issued secret", () => {
  it("is its prefix and 54 characters of base62", () => {
    fc.assert(
      fc.property(seeds, prefixes, (seed, prefix) => {
        const secret = issueSecret(prefix, seeded(seed));
        expect(secret.slice(0, 3)).toBe(prefix);
        expect(secret.slice(3)).toMatch(/^[0-9A-Za-z]{54}$/);
      }),
    );
  });

  it("has a valid checksum, which detects any changed character", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: 3, max: 56 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        (seed, at, other) => {
          const secret = issueSecret("hk-", seeded(seed));
          expect(looksMistyped(secret)).toBe(false);
          fc.pre(secret[at] !== other);
          expect(looksMistyped(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(true);
        },
      ),
    );
  });

  it("detects two swapped neighbouring characters", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 3, max: 55 }), (seed, at) => {
        const secret = issueSecret("hk-", seeded(seed));
        fc.pre(secret[at] !== secret[at + 1]);
        const swapped = `${secret.slice(0, at)}${secret.charAt(at + 1)}${secret.charAt(at)}${secret.slice(at + 2)}`;
        expect(looksMistyped(swapped)).toBe(true);
      }),
    );
  });

  it("contains the CRC-32 of zlib, so that other programs can verify it", () => {
    // Bytes of zero give the body 000...; crc32("hk-" + "0" * 48) of Python's zlib is 2472810002.
    const secret = issueSecret("hk-", { bytes: (size) => new Uint8Array(size), id: () => "" });
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const value = [...secret.slice(-6)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
    expect(secret.slice(0, -6)).toBe(`hk-${"0".repeat(48)}`);
    expect(value).toBe(2472810002);
  });

  it("uses every character equally often: bytes that would favour some are discarded", () => {
    const everyByte: Random = {
      bytes: (size) => Uint8Array.from({ length: size }, () => next++ % 256),
      id: () => "",
    };
    let next = 0;
    const counts = new Map<string, number>();
    // 31 secrets of 48 characters are 6 times the 248 bytes that count.
    const all = Array.from({ length: 31 }, () => issueSecret("hk-", continuing(everyByte)).slice(3, 51)).join(
      "",
    );
    for (const character of all) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([24]));
  });
});

/** Returns one byte at a time, so that no byte is unused. */
function continuing(source: Random): Random {
  return { bytes: () => source.bytes(1), id: () => source.id() };
}

describe("looksMistyped", () => {
  it("is false for secrets that Hearth has not issued", () => {
    for (const secret of [
      "",
      "hk-",
      "hk-my-own-key-of-the-laptop",
      "sk-abcdefghijklmnopqrstuvwxyz",
      "x".repeat(57),
    ])
      expect(looksMistyped(secret)).toBe(false);
  });
});

describe("hashSecret", () => {
  it("returns the SHA-256 of the UTF-8 encoded secret", () => {
    expect(Buffer.from(hashSecret("abc")).toString("hex")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

describe("redactSecret", () => {
  it.each([
    [`hk-${"a".repeat(50)}WXYZ`, "hk-...WXYZ"],
    [`hm-${"a".repeat(50)}WXYZ`, "hm-...WXYZ"],
    ["my-own-key-of-the-laptop", "...ptop"],
    ["hk-0123456789abc", "hk-...9abc"],
    ["hk-0123456789ab", "hk-..."],
    ["fifteen-letters", "..."],
    ["", "..."],
  ])("redacts %s to %s", (secret, shown) => expect(redactSecret(secret)).toBe(shown));
});
