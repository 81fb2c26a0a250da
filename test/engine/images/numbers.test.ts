import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHalves, toHalves } from "../../../src/engine/images/half.js";
import { Noise } from "../../../src/engine/images/noise.js";
import { fittingSize } from "../../../src/engine/images/size.js";

describe("noise", () => {
  it("is drawn by xoshiro128**, whose first numbers from the state 1, 2, 3, 4 are published", () => {
    // The test vector of the authors' C code, as rand_xoshiro has it.
    const noise = new Noise([1, 2, 3, 4]);
    expect([noise.next(), noise.next(), noise.next(), noise.next()]).toEqual([11520, 0, 5927040, 70819200]);
  });

  it("is the same on every machine: what a seed gives is written down here", () => {
    expect([...new Noise(42).gaussians(4)]).toEqual(written);
  });

  it("has mean 0, variance 1 and the tails of a normal distribution", () => {
    const numbers = new Noise(1).gaussians(200_000);
    const mean = (of: (value: number) => number): number =>
      numbers.reduce((sum, value) => sum + of(value), 0) / numbers.length;
    expect(mean((value) => value)).toBeCloseTo(0, 1.5);
    expect(mean((value) => value ** 2)).toBeCloseTo(1, 1.5);
    expect(mean((value) => value ** 4)).toBeCloseTo(3, 0.5);
    expect(mean((value) => (Math.abs(value) > 1.96 ? 1 : 0))).toBeCloseTo(0.05, 2);
  });

  it("of neighbouring seeds has nothing in common", () => {
    const [one, next] = [new Noise(1000).gaussians(10_000), new Noise(1001).gaussians(10_000)];
    const product = one.reduce((sum, value, at) => sum + value * (next[at] ?? 0), 0) / one.length;
    expect(Math.abs(product)).toBeLessThan(0.04);
  });
});

const written = [0.6362302303314209, 0.651442289352417, 0.8308019042015076, -1.9218767881393433];

describe("half precision", () => {
  // Examples of IEEE 754-2008 binary16.
  it.each([
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65519, 0x7bff],
    [65520, 0x7c00],
    [Infinity, 0x7c00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1023 * 2 ** -24, 0x03ff],
    [1 / 3, 0x3555],
    [0.1, 0x2e66],
    [-0, 0x8000],
  ])("of %d is %d", (value, bits) => {
    expect(toHalves(Float32Array.of(value))[0]).toBe(bits);
  });

  it("comes back from every one of its numbers", () => {
    const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
    const back = toHalves(fromHalves(all));
    const wrong = [...all].filter((bits) => !isNaNHalf(bits) && back[bits] !== bits);
    expect(wrong).toEqual([]);
    expect(fromHalves(Uint16Array.of(0x7e00))[0]).toBeNaN();
  });

  it("is the nearest there is", () => {
    fc.assert(
      fc.property(fc.float({ min: -60_000, max: 60_000, noNaN: true }), (value) => {
        const bits = toHalves(Float32Array.of(value))[0] ?? 0;
        const isSmallest = (bits & 0x7fff) === 0;
        const [half = 0, above = 0, below = 0] = fromHalves(
          Uint16Array.of(bits, bits + 1, isSmallest ? bits : bits - 1),
        );
        expect(Math.abs(half - value)).toBeLessThanOrEqual(Math.abs(above - value));
        expect(Math.abs(half - value)).toBeLessThanOrEqual(Math.abs(below - value));
      }),
    );
  });
});

function isNaNHalf(bits: number): boolean {
  return (bits & 0x7c00) === 0x7c00 && (bits & 0x03ff) !== 0;
}

describe("the size that is drawn", () => {
  const canvas = { width: 512, height: 512, multiple: 64, isFixed: false };
  const side = fc.integer({ min: 1, max: 99_999 });

  it.each([
    ["none", null, "512x512"],
    ["what fits as it stands", { width: 256, height: 384, ratioOnly: false }, "256x384"],
    ["a square that is too large", { width: 1024, height: 1024, ratioOnly: false }, "512x512"],
    ["a wide one that is too large", { width: 1792, height: 1024, ratioOnly: false }, "640x384"],
    ["16:9", { width: 16, height: 9, ratioOnly: true }, "640x384"],
    ["9:16", { width: 9, height: 16, ratioOnly: true }, "384x640"],
    ["1:2", { width: 1, height: 2, ratioOnly: true }, "320x704"],
    ["a tiny one", { width: 3, height: 3, ratioOnly: false }, "64x64"],
  ])("where the client asks for %s", (_, asked, expected) => {
    const { width, height } = fittingSize(asked, canvas);
    expect(`${width}x${height}`).toBe(expected);
  });

  it("is always one that the model draws, whatever is asked for", () => {
    fc.assert(
      fc.property(side, side, fc.boolean(), (width, height, ratioOnly) => {
        const size = fittingSize({ width, height, ratioOnly }, canvas);
        expect([size.width % 64, size.height % 64]).toEqual([0, 0]);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(64);
        expect(size.width * size.height).toBeLessThanOrEqual(512 * 512);
      }),
    );
  });

  it("is the one size of an export whose sides are fixed", () => {
    const asked = { width: 16, height: 9, ratioOnly: true };
    expect(fittingSize(asked, { ...canvas, isFixed: true })).toEqual({ width: 512, height: 512 });
  });
});
