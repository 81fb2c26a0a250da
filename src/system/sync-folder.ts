import { open } from "node:fs/promises";
import { readErrorCode } from "./file-errors.js";

/** Makes the renames in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    // Some systems cannot sync a folder, and order renames by themselves.
    if (!["EISDIR", "EPERM", "EINVAL", "ENOTSUP"].includes(readErrorCode(thrown))) throw thrown;
  }
}
