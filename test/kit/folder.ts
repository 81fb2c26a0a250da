/** Folders of tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Registers a clean-up, by default for the end of the test. */
export type Finished = (cleanUp: () => void | Promise<void>) => void;

/** Creates an empty folder; it is deleted when the test ends. */
export function temporaryFolder(finished: Finished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "hearth-test-"));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder with just these files, by their path from it; it is deleted when the test ends. */
export function plantFiles(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
