import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkIpRanges, createIpMatcher } from "../../../src/accounts/credentials/ip-ranges.js";

const widths = { 4: 32n, 6: 128n } as const;

interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** Bits from the first one on. */
function beginning({ version, value }: Address, bits: number): bigint {
  return value >> (widths[version] - BigInt(bits));
}

function written({ version, value }: Address): string {
  const groups = version === 4 ? 4 : 8;
  const bits = Number(widths[version]) / groups;
  const parts = Array.from({ length: groups }, (_, at) =>
    Number((value >> BigInt(bits * (groups - 1 - at))) & ((1n << BigInt(bits)) - 1n)),
  );
  return version === 4 ? parts.join(".") : parts.map((part) => part.toString(16)).join(":");
}

/** As version 6 writes an address of version 4. */
function mapped(address: Address): string {
  return address.version === 4 ? `::ffff:${written(address)}` : written(address);
}

/** A range, and an address that begins as it does for some bits. */
const rangeAndAddress = fc.constantFrom(4 as const, 6 as const).chain((version) => {
  const width = Number(widths[version]);
  // Bits that version 6 keeps for addresses of version 4 are not begun with.
  const value = fc.bigInt(1n << (widths[version] - 3n), (1n << widths[version]) - 1n);
  return fc.record({
    range: fc.record({ version: fc.constant(version), value }),
    bits: fc.integer({ min: 0, max: width }),
    address: fc
      .tuple(value, value, fc.integer({ min: 0, max: width }))
      .map(([, other, flipped]) => ({ version, value: other, flipped })),
    isNear: fc.boolean(),
  });
});

describe("a range of addresses", () => {
  it("has in it exactly the addresses that begin with the same bits, in either way of writing", () => {
    const isWithin = createIpMatcher();
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(rangeAndAddress, ({ range, bits, address, isNear }) => {
        const flip = 1n << BigInt(Math.max(0, Number(widths[range.version]) - 1 - address.flipped));
        const asked = isNear ? { ...range, value: range.value ^ flip } : address;
        const ranges = [`${written(range)}/${bits}`];
        checkIpRanges(ranges);
        const expected = beginning(range, bits) === beginning(asked, bits);
        seen.add(expected);
        expect(isWithin(ranges, written(asked))).toBe(expected);
        expect(isWithin(ranges, mapped(asked))).toBe(expected);
        if (range.version === 4)
          expect(isWithin([`${mapped(range)}/${bits + 96}`], written(asked))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(seen.size).toBe(2);
  });

  it("of one version has no address of the other in it", () => {
    const isWithin = createIpMatcher();
    expect(isWithin(["0.0.0.0/0"], "2001:db8::1")).toBe(false);
    expect(isWithin(["::/0"], "10.0.0.1")).toBe(false);
    expect(isWithin(["::/0", "0.0.0.0/0"], "10.0.0.1")).toBe(true);
    expect(isWithin(["::/0"], "fe80::1%eth0")).toBe(true);
  });

  it("contains nothing that is not an address", () => {
    const isWithin = createIpMatcher();
    for (const address of ["", "localhost", "10.0.0.1:80", "010.0.0.1", "10.0.0"])
      expect(isWithin(["0.0.0.0/0", "::/0"], address)).toBe(false);
  });

  it("is not confused with the ranges of another key", () => {
    const isWithin = createIpMatcher();
    // More lists than are cached.
    for (let at = 0; at < 3000; at += 1) {
      const own = `10.${at >> 8}.${at & 255}.1`;
      expect(isWithin([own, "192.0.2.1"], own)).toBe(true);
      expect(isWithin([own], "192.0.2.1")).toBe(false);
    }
    expect(isWithin(["10.0.0.1"], "10.0.1.1")).toBe(false);
  });
});
