const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/**
 * Returns a size as every command, message and page writes it, such as `940 B`, `7.0 MB`, `250 MB` or `5.1 GB`: multiples of 1000, with
 * one decimal below 100.
 */
export function sizeText(bytes: number): string {
  let [value, unit] = [Math.max(0, bytes), 0];
  // What would be rounded to 1000 is 1.0 of the next unit.
  while (Math.round(value) >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  // What would be rounded to 100.0 is 100.
  const hasDecimal = unit > 0 && value < 99.95;
  return `${value.toFixed(hasDecimal ? 1 : 0)} ${units[unit] ?? ""}`;
}
