import type { RequestedImageSize, ImageSize } from "../../core/images/image-generation.js";

/** The image sizes that a model supports; width and height are its native size. */
export interface SupportedSizes extends ImageSize {
  /** Sides are multiples of this. */
  readonly multiple: number;
  /** Whether the native size is the only one. */
  readonly isFixed: boolean;
}

/**
 * Returns the supported size that is closest to the requested one: the closest ratio, with at most as many pixels as the native size,
 * since models repeat content in larger images. A request with a ratio only gets about the native number of pixels.
 */
export function fittingSize(requested: RequestedImageSize | null, sizes: SupportedSizes): ImageSize {
  const { multiple } = sizes;
  const area = sizes.width * sizes.height;
  if (requested === null || sizes.isFixed) return { width: sizes.width, height: sizes.height };
  const full = Math.sqrt(area / (requested.width * requested.height));
  const scale = requested.ratioOnly ? full : Math.min(1, full);
  const longest = Math.floor(area / multiple / multiple) * multiple;
  const around = (length: number): readonly number[] =>
    [Math.floor, Math.ceil].map((rounded) =>
      Math.min(longest, Math.max(multiple, rounded((length * scale) / multiple) * multiple)),
    );
  const candidates = around(requested.width).flatMap((width) =>
    around(requested.height).map((height) => ({ width, height })),
  );
  const off = ({ width, height }: ImageSize): number =>
    Math.abs(Math.log((width * requested.height) / (height * requested.width)));
  const byFit = candidates
    .filter(({ width, height }) => width * height <= area)
    .toSorted((a, b) => off(a) - off(b) || b.width * b.height - a.width * a.height);
  return byFit[0] ?? { width: sizes.width, height: sizes.height };
}
