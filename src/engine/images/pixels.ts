import type { FloatTensor } from "./graph.js";

/** Converts the decoder's output, [1, 3, height, width] from -1 to 1, to bytes: red, green and blue of every pixel, row by row. */
export function toPixels({ data, shape }: FloatTensor): Uint8Array<ArrayBuffer> {
  const [, channels = 3, height = 0, width = 0] = shape;
  const area = height * width;
  if (channels !== 3 || data.length !== 3 * area) throw new Error("the decoder's output is not an image");
  const pixels = new Uint8Array(3 * area);
  for (let place = 0; place < area; place += 1)
    for (let channel = 0; channel < 3; channel += 1)
      pixels[place * 3 + channel] = toByte(data[channel * area + place] ?? 0);
  return pixels;
}

/** Converts one value; NaN becomes 0. */
function toByte(value: number): number {
  return Math.max(0, Math.min(255, Math.round((value / 2 + 0.5) * 255))) || 0;
}
