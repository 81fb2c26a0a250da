import fc from "fast-check";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import type { DecodedImage } from "../../../../src/core/images/images.js";
import { createImageDecoder } from "../../../../src/engine/vision/decode.js";
import { pngOf } from "../../../kit/models/png-writer.js";

const red = { r: 255, g: 0, b: 0 };
const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: red } });

/** Left half red, right half blue. */
const halves = () =>
  blank(40, 20).composite([
    { input: { create: { width: 20, height: 20, channels: 3, background: "#00f" } }, left: 20, top: 0 },
  ]);

const logs: string[] = [];
let decoder = createImageDecoder((message) => logs.push(message));
const decode = (bytes: Uint8Array): Promise<DecodedImage> =>
  decoder.decode(bytes, "image", new AbortController().signal);
const refusal = (bytes: Uint8Array): Promise<string> =>
  decode(bytes).then(
    () => "",
    (error: Error) => error.message,
  );
const at = ({ rgb, width }: DecodedImage, x: number, y: number): readonly number[] =>
  Array.from(rgb.subarray((y * width + x) * 3, (y * width + x) * 3 + 3));
const near = (pixel: readonly number[], wanted: readonly number[]): boolean =>
  pixel.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= 40);

/** Creates rejected files before the decoder, which then blocks the formats that are needed to create them. */
const others = new Map<string, Buffer>();
beforeAll(async () => {
  others.set("AVIF", await blank(8, 8).avif().toBuffer());
  others.set("TIFF", await blank(8, 8).tiff().toBuffer());
  decoder = createImageDecoder((message) => logs.push(message));
});

describe("an image", () => {
  it.each(["png", "jpeg", "webp", "gif"] as const)(
    "is decoded from a %s file, pixel for pixel",
    async (format) => {
      const picture = await decode(await halves().toFormat(format, { quality: 100 }).toBuffer());
      expect([picture.width, picture.height, picture.rgb.length]).toEqual([40, 32, 40 * 32 * 3]);
      expect(near(at(picture, 5, 16), [255, 0, 0])).toBe(true);
      expect(near(at(picture, 35, 16), [0, 0, 255])).toBe(true);
    },
  );

  it("keeps its proportions, and is scaled to the maximum size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 3000 }), async (w, h) => {
        const { width, height, rgb } = await decode(
          await blank(w, h).png({ compressionLevel: 1 }).toBuffer(),
        );
        expect(rgb).toHaveLength(width * height * 3);
        expect(Math.max(width, height)).toBeLessThanOrEqual(2048);
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(32);
        expect(Math.max(width, height) / Math.min(width, height)).toBeLessThanOrEqual(51);
        if (Math.min(w, h) > 200) expect(Math.abs(width / height - w / h)).toBeLessThan(0.02 * (w / h));
      }),
      { numRuns: 15 },
    );
  });

  it("is dropped at once when its client leaves", async () => {
    const leaving = AbortSignal.abort(new Error("gone"));
    const bytes = await halves().png().toBuffer();
    await expect(decoder.decode(bytes, "image", leaving)).rejects.toThrow("gone");
  });

  it("can be dropped while it waits", async () => {
    const bytes = await blank(2000, 2000).png().toBuffer();
    const first = Promise.all([decode(bytes), decode(bytes)]);
    const leaving = new AbortController();
    const third = decoder.decode(bytes, "image", leaving.signal);
    const fourth = decode(bytes);
    leaving.abort(new Error("gone"));
    await expect(third).rejects.toThrow("gone");
    expect([...(await first), await fourth].map(({ width }) => width)).toEqual([2000, 2000, 2000]);
  });
});

describe("B1: an odd image", () => {
  it.each([
    [1, 1],
    [1, 3000],
    [3000, 1],
    [7, 9],
  ])("of %i x %i pixels is shown whole", async (width, height) => {
    const picture = await decode(await blank(width, height).png().toBuffer());
    const middle = at(picture, picture.width >> 1, picture.height >> 1);
    expect(near(middle, [255, 0, 0])).toBe(true);
  });

  it("is turned upright by its EXIF orientation", async () => {
    const picture = await decode(
      await halves().jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer(),
    );
    expect([picture.width, picture.height]).toEqual([32, 40]);
    expect(near(at(picture, 16, 5), [255, 0, 0])).toBe(true);
    expect(near(at(picture, 16, 35), [0, 0, 255])).toBe(true);
  });

  it("is decoded in CMYK, in 16 bits, in grey and with a palette", async () => {
    const files = [
      blank(40, 40).toColourspace("cmyk").jpeg({ quality: 100 }),
      blank(40, 40).toColourspace("rgb16").png(),
      blank(40, 40).png({ palette: true }),
    ];
    for (const file of files) {
      const picture = await decode(await file.toBuffer());
      expect(near(at(picture, 20, 20), [255, 0, 0])).toBe(true);
    }
    const grey = await decode(await blank(40, 40).toColourspace("b-w").png().toBuffer());
    expect(new Set(at(grey, 20, 20)).size).toBe(1);
  });

  it("has a white background where it is transparent", async () => {
    const clear = {
      create: { width: 40, height: 40, channels: 4, background: { ...red, alpha: 0 } },
    } as const;
    for (const format of ["png", "webp", "gif"] as const) {
      const picture = await decode(await sharp(clear).toFormat(format).toBuffer());
      expect(near(at(picture, 20, 20), [255, 255, 255])).toBe(true);
    }
  });

  it("is the first frame of an animation", async () => {
    const frames = [
      blank(40, 40).png().toBuffer(),
      halves().resize(40, 40, { fit: "fill" }).png().toBuffer(),
    ];
    const gif = await sharp(await Promise.all(frames), { join: { animated: true } })
      .gif()
      .toBuffer();
    const picture = await decode(gif);
    expect([picture.width, picture.height]).toEqual([40, 40]);
    expect(near(at(picture, 35, 20), [255, 0, 0])).toBe(true);
  });

  it.each([
    ["no bytes", Buffer.alloc(0), "image: is empty"],
    [
      "one byte",
      Buffer.of(0x89),
      "image: is not an image of a known type; PNG, JPEG, WebP and GIF images are read",
    ],
    ["a text", Buffer.from("<html><body>not found"), /is not an image of a known type/],
    ["an SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), /is an SVG image; PNG/],
    ["an SVG after a head", Buffer.from("\ufeff  <?xml version='1.0'?><!-- a --><svg/>"), /is an SVG image/],
    ["an SVG in UTF-16", Buffer.from("<svg width='9'/>", "utf16le"), /is an SVG image/],
    ["a HEIC", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic"), /is a HEIC image/],
    ["a PDF", Buffer.from("%PDF-1.7\n"), /is a PDF document/],
    ["a BMP", Buffer.from("BM12345678"), /is a BMP image/],
  ])("is refused by name: %s", async (_case, bytes, message) => {
    expect(await refusal(bytes)).toMatch(message);
  });

  it.each(["AVIF", "TIFF"])("is rejected by name: a real %s", async (name) => {
    expect(await refusal(others.get(name) ?? Buffer.alloc(0))).toMatch(
      `is a`.concat(name === "AVIF" ? "n" : ""),
    );
    expect(await refusal(others.get(name) ?? Buffer.alloc(0))).toContain(`${name} image; PNG`);
  });

  it("is rejected when another type follows valid first bytes", async () => {
    const disguised = Buffer.concat([Buffer.from("GIF89a"), Buffer.from("<svg width='9' height='9'/>")]);
    expect(await refusal(disguised)).toMatch(/is damaged, not whole/);
  });
});

describe("B2: a small file of a huge image", () => {
  it("is rejected before it is decompressed", async () => {
    const bomb = pngOf(30_000, 30_000, Buffer.alloc(1000));
    expect(bomb.length).toBeLessThan(2_000);
    expect(await refusal(bomb)).toBe("image: has more than 50000000 pixels");
  });

  it("costs one frame, whatever the number of frames", async () => {
    const frame = await blank(8, 8).gif().toBuffer();
    const start = frame.indexOf(0x2c);
    const body = frame.subarray(start, -1);
    const many = Buffer.concat([
      frame.subarray(0, start),
      ...Array.from({ length: 50_000 }, () => body),
      Buffer.of(0x3b),
    ]);
    expect(await decode(many)).toMatchObject({ width: 32, height: 32 });
  });
});

describe("B5: the decoder's error message", () => {
  it("never reaches a client, wherever a file is truncated or damaged", async () => {
    const whole = new Map<string, Buffer>();
    for (const format of ["png", "jpeg", "webp", "gif"] as const)
      whole.set(format, await halves().resize(200, 100).toFormat(format).toBuffer());
    const cuts = fc.record({
      format: fc.constantFrom(...whole.keys()),
      cut: fc.double({ min: 0, max: 1, noNaN: true }),
      flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255)), {
        maxLength: 6,
      }),
    });
    await fc.assert(
      fc.asyncProperty(cuts, async ({ format, cut, flips }) => {
        const file = whole.get(format) ?? Buffer.alloc(0);
        const bytes = Buffer.from(file.subarray(0, Math.ceil(file.length * cut)));
        for (const [place, value] of flips) bytes[Math.floor(place * bytes.length)] = value;
        const text = await refusal(bytes);
        expect(text).toMatch(
          /^$|^image: (is empty|is damaged, not whole|is not an image|is an? \w+|has more than)/,
        );
        expect(text).not.toMatch(/vips|libpng|0x[0-9a-f]{4}|address/i);
      }),
      { numRuns: 150 },
    );
    expect(logs.length).toBeGreaterThan(0);
  });

  it.each(["png", "jpeg", "webp", "gif"] as const)(
    "is replaced by a public message for a truncated %s",
    async (format) => {
      const file = await sharp({
        create: {
          width: 300,
          height: 300,
          channels: 3,
          noise: { type: "gaussian", mean: 128, sigma: 50 },
          background: red,
        },
      })
        .toFormat(format)
        .toBuffer();
      expect(await refusal(file.subarray(0, file.length >> 1))).toMatch(/is damaged, not whole/);
    },
  );
});
