import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes a configuration file in which models have prices.
 * @param more further settings of the file
 * @returns its path
 */
export function writeConfig(folder: string, models: readonly string[], more: object = {}): string {
  const prices = models.map((id) => [id, { prices: { prompt: 2, completion: 8 } }] as const);
  const file = join(folder, "hearth.yaml");
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify({ ...more, models: Object.fromEntries(prices) }));
  return file;
}
