import { expect } from "vitest";
import { preflightGguf } from "../../src/models/gguf.js";
import type { Folder } from "./folder.js";

/**
 * Returns the public reason why a file of these bytes is rejected. Fails if the file is accepted or the
 * reason contains its path.
 */
export async function refusalOf(folder: Folder, bytes: Uint8Array): Promise<string> {
  const result = await preflightGguf(await folder.write("model.gguf", bytes));
  expect(result).toMatchObject({ ok: false });
  const reason = result.ok ? "" : result.reason;
  expect(reason).not.toContain(folder.path);
  expect(reason).toMatch(/^[\x20-\x7e]{1,300}\.$/);
  return reason;
}
