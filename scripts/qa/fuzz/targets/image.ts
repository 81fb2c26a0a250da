import sharp, { type Sharp } from "sharp";
import { HearthError } from "../../../../src/core/errors.js";
import { createImageDecoder } from "../../../../src/engine/vision/decode.js";
import { pngOf } from "../../../../test/kit/models/png-writer.js";
import { check } from "../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../target.js";

const sideMax = 2048;
const sideMin = 32;
const messages =
  /^image: (is empty|is an? \w+ (image|document); PNG, JPEG, WebP and GIF images are read|is not an image of a known type; PNG, JPEG, WebP and GIF images are read|has more than \d+ pixels|is damaged, not whole, or takes too long to decode)$/;

let logged = "";
const decoder = createImageDecoder((message) => (logged = message));
const never = new AbortController().signal;

/** A small image of each type that is read. */
async function seeds(): Promise<readonly Uint8Array[]> {
  const pixels = Uint8Array.from({ length: 4 * 3 * 3 }, (_, index) => index * 7);
  const image = (): Sharp => sharp(pixels, { raw: { width: 4, height: 3, channels: 3 } });
  return [
    pngOf(2, 2, Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12)),
    pngOf(2, 1, Uint8Array.of(0, 0, 1), Uint8Array.of(255, 0, 0, 0, 255, 0)),
    await image().png({ palette: true }).toBuffer(),
    await image().jpeg({ quality: 40 }).withMetadata({ orientation: 6 }).toBuffer(),
    await image().webp({ lossless: true }).toBuffer(),
    await image().webp({ quality: 30 }).toBuffer(),
    await image().gif().toBuffer(),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  ];
}

export const target: FuzzTarget = {
  guarantee:
    "a file gives an image of bounded size, or a refusal that says why and nothing of the server's memory",
  format: "bytes",
  bytesMax: 2048,
  msMax: 15_000,
  corpus: "image",
  words: [
    "\x89PNG\r\n\x1a\n",
    "IHDR",
    "PLTE",
    "IDAT",
    "IEND",
    "tRNS",
    "acTL",
    "iCCP",
    "eXIf",
    "GIF89a",
    "RIFF",
    "WEBP",
    "VP8 ",
    "VP8L",
    "VP8X",
    "ANIM",
    "EXIF",
    "JFIF",
    "Exif\0\0",
    "<svg",
    "<?xml",
    "%PDF-",
    "BM",
    "ftypheic",
    "II*\0",
  ],
  seeds,
  async run(input) {
    logged = "";
    try {
      const { width, height, rgb } = await decoder.decode(input, "image", never);
      const isBounded = [width, height].every((side) => side >= sideMin && side <= sideMax);
      check(isBounded, () => `the image has ${width} x ${height} pixels`);
      check(rgb.length === width * height * 3, () => `${width} x ${height} pixels have ${rgb.length} bytes`);
      return `image ${Math.round(Math.log2(width))} x ${Math.round(Math.log2(height))}`;
    } catch (thrown) {
      if (!(thrown instanceof HearthError)) throw thrown;
      const { kind, param, message } = thrown;
      check(kind === "invalid_value" && param === "image", () => `the error is ${kind} of ${param}`);
      check(messages.test(message), () => `the message is not one of those that are meant: ${message}`);
      return `refused ${message} ${toLabel(logged.replace(/0x[0-9a-f]+/g, "0"))}`;
    }
  },
};
