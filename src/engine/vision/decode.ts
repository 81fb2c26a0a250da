/**
 * Decodes the bytes of an image file with sharp, in sharp's own threads. Limits which file types are decoded and how large they may be,
 * and keeps the decoder's error messages away from clients. Uses the first frame of an animation, and a white background for
 * transparency.
 */
import sharp, { type Sharp } from "sharp";
import { HearthError } from "../../core/errors.js";
import type { ImageSize } from "../../core/images/image-generation.js";
import type { ImageDecoder, DecodedImage } from "../../core/images/images.js";
import { refusedImage } from "../../core/requests/refused-image.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";
import { sniff, unreadable } from "../../core/images/sniff.js";

/** 50 megapixels: more than any phone's camera takes in one shot by default. */
const pixelsMax = 50_000_000;
/** Larger images are scaled down: no supported model uses more pixels. */
const sideMax = 2048;
/** Thinner images get white margins: models divide by the sides. */
const sideMin = 32;
const proportionMax = 50;
const decodeSecondsMax = 5;
/** Images decoded at the same time; each may need some ten megabytes. */
const decodesMax = 2;

/** The allowed loaders; all other formats of sharp are blocked. */
const loaders = ["Png", "Jpeg", "Webp", "Nsgif"].map((kind) => `VipsForeignLoad${kind}Buffer`);
const white = "#ffffff";

/**
 * Creates the decoder.
 * @param log receives the decoder's error messages, which clients never see: they may contain memory addresses.
 */
export function createImageDecoder(log: (message: string) => void): ImageDecoder {
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
  sharp.cache(false);
  sharp.concurrency(1);
  const concurrency = new ConcurrencyLimit(decodesMax);
  return {
    async decode(bytes, param, signal, longestSide = sideMax) {
      const kind = sniff(bytes);
      const problem = bytes.length === 0 ? "is empty" : unreadable(kind);
      if (problem !== null) throw refusedImage(param, problem);
      return concurrency.run(signal, async () => {
        try {
          const picture = await decode(bytes, param, longestSide);
          signal.throwIfAborted();
          return picture;
        } catch (thrown) {
          signal.throwIfAborted();
          if (thrown instanceof HearthError) throw thrown;
          log(`an image could not be decoded: ${String(thrown)}`);
          throw refusedImage(param, "is damaged, not whole, or takes too long to decode", thrown);
        }
      });
    },
  };
}

async function decode(bytes: Uint8Array, param: string, longestSide: number): Promise<DecodedImage> {
  const readAs = { failOn: "error", sequentialRead: true, pages: 1, animated: false } as const;
  // Checked here, to distinguish too many pixels from a damaged file.
  const { autoOrient } = await sharp(bytes, { ...readAs, limitInputPixels: false }).metadata();
  const { width, height } = autoOrient;
  if (width * height > pixelsMax) throw refusedImage(param, `has more than ${pixelsMax} pixels`);
  const upright = sharp(bytes, { ...readAs, limitInputPixels: pixelsMax })
    .timeout({ seconds: decodeSecondsMax })
    .autoOrient()
    .flatten({ background: white })
    .toColourspace("srgb");
  const { data, info } = await fit(upright, { width, height }, longestSide)
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`${info.channels} channels`);
  return { width: info.width, height: info.height, rgb: data };
}

/** Scales an image to the allowed sides, then adds margins where it is too thin. */
function fit(image: Sharp, { width, height }: ImageSize, longestSide: number): Sharp {
  const long = Math.max(width, height);
  const scale = Math.min(longestSide, Math.max(sideMin, long)) / long;
  const scaled = { width: atLeastOne(width * scale), height: atLeastOne(height * scale) };
  const least = Math.max(sideMin, Math.ceil((long * scale) / proportionMax));
  const [left, right] = margins(scaled.width, least);
  const [top, bottom] = margins(scaled.height, least);
  return image.resize({ ...scaled, fit: "fill" }).extend({ left, right, top, bottom, background: white });
}

function atLeastOne(size: number): number {
  return Math.max(1, Math.round(size));
}

function margins(size: number, least: number): readonly [before: number, after: number] {
  const missing = Math.max(0, least - size);
  return [missing >> 1, missing - (missing >> 1)];
}
