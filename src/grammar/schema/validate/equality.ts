/** Levels of arrays and objects in a value, without recursion; counting stops above `max`. */
export function depthOf(value: unknown, max: number): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level)
      if (typeof item === "object" && item !== null) for (const part of Object.values(item)) inner.push(part);
    if (inner.length === 0 || depth > max) return depth;
    level = inner;
  }
}

/**
 * A text that two JSON values share exactly when they are equal: the order of keys does not count, 1 and 1.0 are one number,
 * true is not 1. The value is known to be bounded in depth.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value === 0 ? 0 : value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
