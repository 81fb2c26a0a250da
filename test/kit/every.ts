/** One test for a rule that holds for many things: it tries each of them, and fails with all that break the rule. */
import { expect } from "vitest";

/**
 * Runs a check for each item, one after another, and fails with the name and the error of every item whose check throws.
 * @param check an item that has nothing to check returns false
 */
export async function expectEvery<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  check: (item: T) => Promise<unknown>,
): Promise<void> {
  const broken: string[] = [];
  let checked = 0;
  for (const item of items) {
    try {
      if ((await check(item)) !== false) checked += 1;
    } catch (thrown) {
      broken.push(`${nameOf(item)}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  expect(broken.join("\n\n"), `${broken.length} of ${items.length} break the rule`).toBe("");
  expect(checked).toBeGreaterThan(0);
}
