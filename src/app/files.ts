/** The part of the composition root that builds the files of teams. */
import type { Config } from "../config.js";
import { createFileContents } from "../inference/files/contents.js";
import { createFiles, type Files, type FilesDeps } from "../inference/files/files.js";
import { filesFolder } from "./data-folder.js";

/** Builds the service over the folder of files, and removes from it what a process that died has left. */
export async function buildFiles(
  config: Config,
  deps: Omit<FilesDeps, "contents" | "limits">,
): Promise<Files> {
  const contents = createFileContents(filesFolder(config));
  const files = createFiles({ ...deps, contents, limits: config });
  await files.removeLeftovers();
  return files;
}
