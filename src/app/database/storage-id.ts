/** Names the folder of the contents of files and images, so that servers of one database are refused that have different ones. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf, fileError } from "../../store/failure.js";
import { createFolder } from "../../store/folder.js";
import type { Random } from "../../core/random.js";
import { contentsFolder, type Folder } from "../data-folder.js";

const uuid = /^[0-9a-f-]{36}$/;

/** Returns the name of the folder, which its first server has written into it. @throws Error with one sentence. */
export async function storageIdOf(config: Folder, random: Random): Promise<string> {
  const file = join(contentsFolder(config), "storage-id");
  try {
    createFolder(contentsFolder(config));
    await writeFile(file, `${random.id()}\n`, { flag: "wx", mode: 0o644 });
  } catch (thrown) {
    if (errorCodeOf(thrown) !== "EEXIST")
      throw fileError("cannot write the name of the folder to", file, thrown);
  }
  const id = (await readFile(file, "utf8")).trim();
  if (!uuid.test(id)) throw new Error(`${file} does not name its folder: delete it, and start again`);
  return id;
}
