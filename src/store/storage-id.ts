/** Names the folder of the contents of files and images, so that servers of one database are refused that have different ones. */
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readErrorCode, fileError } from "../system/file-errors.js";
import { createFolder } from "../system/folder.js";
import type { Random } from "../core/random.js";
import { contentsFolder, type Folder } from "./data-folder.js";

/** What a file system says that has no hard links. */
const hasNoLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

const uuid = /^[0-9a-f-]{36}$/;

/** Returns the name of the folder, which its first server has written into it. @throws Error with one sentence. */
export async function readStorageId(config: Folder, random: Random): Promise<string> {
  const file = join(contentsFolder(config), "storage-id");
  try {
    createFolder(contentsFolder(config));
    await createWhole(file, `${random.id()}\n`, random);
  } catch (thrown) {
    throw fileError("cannot write the name of the folder to", file, thrown);
  }
  const id = (await readFile(file, "utf8")).trim();
  if (!uuid.test(id)) throw new Error(`${file} does not name its folder: delete it, and start again`);
  return id;
}

/**
 * Creates a file that other servers never see without its text; one that exists stays unchanged.
 * @throws Error of Node, with its code.
 */
async function createWhole(file: string, text: string, random: Random): Promise<void> {
  const written = `${file}.${random.id()}`;
  try {
    await writeFile(written, text, { flag: "wx", mode: 0o644 });
    await link(written, file).catch((thrown: unknown) => {
      if (!hasNoLinks.has(readErrorCode(thrown))) throw thrown;
      return writeFile(file, text, { flag: "wx", mode: 0o644 });
    });
  } catch (thrown) {
    if (readErrorCode(thrown) !== "EEXIST") throw thrown;
  } finally {
    await rm(written, { force: true });
  }
}
