/**
 * From the bytes of a file to a picture, by sharp in threads of its own. It owns which kinds of files are read, how large they
 * may be, and that no word of the decoder's reaches a client; where bytes come from and what is seen on a picture it does not
 * know. Of an animation the first frame is the picture; of one with transparency, itself on white.
 */
import sharp, { type Sharp } from "sharp";
import { HearthError } from "../../../core/errors.js";
import type { ImageDecoder, Picture } from "../../../core/images.js";
import { refusedImage } from "../refused.js";
import { Turns } from "../turns.js";
import { sniff, unreadable } from "./sniff.js";

/** 50 megapixels: more than any phone's camera takes in one shot by default. */
const pixelsMax = 50_000_000;
/** Larger pictures are made smaller: no model here sees more. */
const sideMax = 2048;
/** Thinner ones are given white margins: models divide by their sides. */
const sideMin = 32;
const proportionMax = 50;
const decodeSecondsMax = 5;
/** Pictures decoded at a time; each may take some ten megabytes while it is. */
const decodesMax = 2;

/** The loaders of the kinds that are read; whatever else sharp could read is shut off, whatever the bytes look like. */
const loaders = ["Png", "Jpeg", "Webp", "Nsgif"].map((kind) => `VipsForeignLoad${kind}Buffer`);
const white = "#ffffff";

/**
 * Builds the decoder.
 * @param log told what the decoder said, which no client is: it may name addresses of memory.
 */
export function createImageDecoder(log: (message: string) => void): ImageDecoder {
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
  sharp.cache(false);
  sharp.concurrency(1);
  const turns = new Turns(decodesMax);
  return {
    async decode(bytes, param, signal) {
      const kind = sniff(bytes);
      const problem = bytes.length === 0 ? "holds no bytes" : unreadable(kind);
      if (problem !== null) throw refusedImage(param, problem);
      return turns.take(signal, async () => {
        try {
          const picture = await decode(bytes, param);
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

async function decode(bytes: Uint8Array, param: string): Promise<Picture> {
  const readAs = { failOn: "error", sequentialRead: true, pages: 1, animated: false } as const;
  // Bounded here, where it can be told from damage.
  const { autoOrient } = await sharp(bytes, { ...readAs, limitInputPixels: false }).metadata();
  const { width, height } = autoOrient;
  if (width * height > pixelsMax) throw refusedImage(param, `has more than ${pixelsMax} pixels`);
  const upright = sharp(bytes, { ...readAs, limitInputPixels: pixelsMax })
    .timeout({ seconds: decodeSecondsMax })
    .autoOrient()
    .flatten({ background: white })
    .toColourspace("srgb");
  const { data, info } = await fit(upright, width, height)
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`${info.channels} channels`);
  return { width: info.width, height: info.height, rgb: data };
}

/** Within the sides that are allowed: made smaller or larger as a whole, then given margins where it is too thin. */
function fit(image: Sharp, width: number, height: number): Sharp {
  const long = Math.max(width, height);
  const scale = Math.min(sideMax, Math.max(sideMin, long)) / long;
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
