import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

export interface Folder {
  /** Absolute path; a fresh folder in every test. */
  readonly path: string;
  /** Writes a file, with the folders it needs. @returns its absolute path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/** A temporary folder for each test of the file, gone after it. */
export function useFolder(): Folder {
  let path = "";
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "hearth-models-"));
  });
  afterEach(() => rm(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
    async write(name, content) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
  };
}
