/** Pictures of a number or a short word, as in the captioner's training, in the fonts of the machine. */
import sharp from "sharp";
import type { DecodedImage } from "../../../src/core/images/images.js";
import {
  colors,
  pick,
  rgbOf,
  within,
  type Chance,
  type Color,
  type Rgb,
} from "../../../test/kit/pictures/scene.js";
import { articleOf } from "../../../test/kit/pictures/sentences.js";

export interface Sign {
  /** Digits, or capital letters. */
  readonly text: string;
  readonly color: Color;
  readonly ground: Color;
  readonly rgb: Rgb;
  readonly groundRgb: Rgb;
  readonly font: string;
  /** The height of the letters as a fraction of the picture's side; less if they would not fit. */
  readonly height: number;
  /** The position in the free space, 0 to 1. */
  readonly left: number;
  readonly top: number;
}

const fonts = ["DejaVu Sans", "DejaVu Sans Bold", "DejaVu Sans Mono", "DejaVu Serif"];
/** The widest letters as a fraction of their height, and the share of the picture that they may fill. */
const letterWidth = 0.75;
const widest = 0.92;
const marginPixels = 2;

/** Returns a sign with a number of one to four digits or a word of two to five letters. */
export function drawSign(chance: Chance): Sign {
  const ground = pick(chance, colors);
  const color = pick(
    chance,
    colors.filter((each) => each !== ground),
  );
  return {
    ...{ text: chance() < 0.5 ? someNumber(chance) : someWord(chance), color, ground },
    rgb: rgbOf(chance, color, { freeColors: true }),
    groundRgb: rgbOf(chance, ground, { freeColors: true }),
    ...{ font: pick(chance, fonts), height: within(chance, 0.2, 0.6), left: chance(), top: chance() },
  };
}

/** Returns the unique caption of a sign. */
export function captionOfSign({ text, color, ground }: Sign): string {
  const kind = /^\d+$/.test(text) ? "number" : "word";
  return `the ${kind} ${text} in ${color} on ${articleOf(ground)} ${ground} background`;
}

/** Returns whether the machine has fonts. */
export async function hasFonts(): Promise<boolean> {
  const sign = { ...drawSign(() => 0), text: "8" };
  try {
    const { rgb } = await renderSign(sign, 64);
    return rgb.some((value, at) => value !== sign.groundRgb[at % 3]);
  } catch {
    return false;
  }
}

/** Renders a sign as a square picture of this size. */
export async function renderSign(sign: Sign, side: number): Promise<DecodedImage> {
  const pixels = Math.floor(Math.min((widest * side) / (letterWidth * sign.text.length), side * sign.height));
  const letters = sharp({ text: { text: sign.text, font: `${sign.font} ${pixels}`, dpi: 72 } });
  const { data, info } = await letters.extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  const room = (length: number): number => Math.max(0, side - length - 2 * marginPixels);
  const left = marginPixels + Math.floor(room(info.width) * sign.left);
  const top = marginPixels + Math.floor(room(info.height) * sign.top);
  const rgb = new Uint8Array(side * side * 3);
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const [x, y] = [column - left, row - top];
      const isWithin = x >= 0 && y >= 0 && x < info.width && y < info.height;
      const share = isWithin ? (data[y * info.width + x] ?? 0) / 255 : 0;
      const mixed = sign.groundRgb.map((under, at) => under + share * ((sign.rgb[at] ?? 0) - under));
      rgb.set(mixed.map(Math.round), (row * side + column) * 3);
    }
  return { width: side, height: side, rgb };
}

function someNumber(chance: Chance): string {
  const digits = pick(chance, [1, 2, 3, 4]);
  return String(Math.floor(chance() * 10 ** digits));
}

/** Returns vowels and consonants, mostly alternating. */
function someWord(chance: Chance): string {
  let isVowel = chance() < 0.4;
  const letters = Array.from({ length: pick(chance, [2, 3, 4, 5]) }, () => {
    const letter = pick(chance, [...(isVowel ? "AEIOU" : "BCDFGHJKLMNPQRSTVWXYZ")]);
    if (chance() < 0.85) isVowel = !isVowel;
    return letter;
  });
  return letters.join("");
}
