import type { JSX } from "preact";

const height = 20;

/** A small line of numbers, from the oldest to the newest. The text beside it says what matters. */
export function Sparkline({ values }: { readonly values: readonly number[] }): JSX.Element {
  const top = Math.max(1, ...values);
  const width = Math.max(1, values.length - 1);
  const points = values.map((value, at) => `${at} ${(height - (value / top) * height).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="base" d={`M0 ${height}H${width}`} />
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}
