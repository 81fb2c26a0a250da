/** One test for a rule that holds for many things: it tries each of them, and fails with all that break the rule. */
import { expect } from "vitest";

/** Runs a check for each item, one after another, and fails with the name and the error of every item whose check throws, or without items. */
export async function expectEvery<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  check: (item: T) => Promise<unknown>,
): Promise<void> {
  expect(items.length).toBeGreaterThan(0);
  const broken: string[] = [];
  for (const item of items) {
    try {
      await check(item);
    } catch (thrown) {
      broken.push(`${nameOf(item)}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  expect(broken.join("\n\n"), `${broken.length} of ${items.length} break the rule`).toBe("");
}
