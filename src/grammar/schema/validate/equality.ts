import { ExactNumber } from "../../regular/number/decimal.js";

/** Returns the nesting depth of a value, computed without recursion. Counting stops above `max`. */
export function measureDepth(value: unknown, max: number): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level)
      if (typeof item === "object" && item !== null && !(item instanceof ExactNumber))
        for (const part of Object.values(item)) inner.push(part);
    if (inner.length === 0 || depth > max) return depth;
    level = inner;
  }
}

/**
 * Returns a text that is the same for two JSON values exactly when they are equal: key order does not matter,
 * 1 and 1.0 are equal, true and 1 are not. The depth of the value must be bounded.
 */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (value instanceof ExactNumber || Number.isNaN(value)) return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value === 0 ? 0 : value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`).join(",")}}`;
}
