import type { AskedSize, ImageSize } from "../../core/image-generation.js";

/** The sizes that a model draws. */
export interface Canvas extends ImageSize {
  /** Sides are multiples of it. */
  readonly multiple: number;
  /** It draws this size and no other. */
  readonly isFixed: boolean;
}

/**
 * The nearest size that a model draws: the ratio as near as its multiples allow, and no more pixels than the size it was
 * trained on, beyond which it repeats itself. A ratio alone takes about as many.
 */
export function fittingSize(asked: AskedSize | null, canvas: Canvas): ImageSize {
  const { multiple } = canvas;
  const area = canvas.width * canvas.height;
  if (asked === null || canvas.isFixed) return { width: canvas.width, height: canvas.height };
  const full = Math.sqrt(area / (asked.width * asked.height));
  const scale = asked.ratioOnly ? full : Math.min(1, full);
  const longest = Math.floor(area / multiple / multiple) * multiple;
  const around = (length: number): readonly number[] =>
    [Math.floor, Math.ceil].map((rounded) =>
      Math.min(longest, Math.max(multiple, rounded((length * scale) / multiple) * multiple)),
    );
  const sizes = around(asked.width).flatMap((width) =>
    around(asked.height).map((height) => ({ width, height })),
  );
  const off = ({ width, height }: ImageSize): number =>
    Math.abs(Math.log((width * asked.height) / (height * asked.width)));
  const byFit = sizes
    .filter(({ width, height }) => width * height <= area)
    .toSorted((a, b) => off(a) - off(b) || b.width * b.height - a.width * a.height);
  return byFit[0] ?? { width: canvas.width, height: canvas.height };
}
