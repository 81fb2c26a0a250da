import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";

export interface Folder {
  /** Absolute path; a new folder in every test. */
  readonly path: string;
  /** Writes a file and creates its parent folders. @returns its absolute path */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/** Creates a temporary folder for each test of the file and removes it afterwards. */
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
