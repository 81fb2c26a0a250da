import type { DecodedImage } from "../../core/images/images.js";

/** Quarters of smaller images are not described separately. */
const sideMin = 64;

interface Tile extends DecodedImage {
  /** Position in the whole image. */
  readonly place: string;
}

/** Returns the quarters of an image in reading order; none if they are too small. */
export function cutTiles(picture: DecodedImage): readonly Tile[] {
  const [width, height] = [picture.width >> 1, picture.height >> 1];
  if (Math.min(width, height) < sideMin) return [];
  const right = picture.width - width;
  const bottom = picture.height - height;
  return [
    { place: "top left", ...cut(picture, 0, 0, width, height) },
    { place: "top right", ...cut(picture, right, 0, width, height) },
    { place: "bottom left", ...cut(picture, 0, bottom, width, height) },
    { place: "bottom right", ...cut(picture, right, bottom, width, height) },
  ];
}

function cut(whole: DecodedImage, left: number, top: number, width: number, height: number): DecodedImage {
  const rgb = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    const start = ((top + row) * whole.width + left) * 3;
    rgb.set(whole.rgb.subarray(start, start + width * 3), row * width * 3);
  }
  return { width, height, rgb };
}
