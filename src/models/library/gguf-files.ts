/** Finds the GGUF models among the files of a repository. */
import { basename, join } from "node:path";
import { isLaterPart, listPartFiles } from "../parts.js";
import { isGgufFile } from "./files.js";
import type { ForeignModel, ForeignModels, Skipped } from "./foreign-model.js";

/**
 * Returns the models of a repository, each with all of its parts.
 * @param paths of its files, relative to `folder`
 */
export async function modelsAmong(
  folder: string,
  paths: readonly string[],
  place: ForeignModel["place"],
): Promise<ForeignModels> {
  const models: ForeignModel[] = [];
  const skipped: Skipped[] = [];
  for (const path of paths) {
    const file = basename(path);
    if (!/\.gguf$/i.test(file) || isLaterPart(file)) continue;
    const name = `${place.join("/")}/${file}`;
    const files = listPartFiles(file).map((part) => ({
      path: join(folder, path.slice(0, -file.length), part),
      name: part,
    }));
    const reason = isProjector(file)
      ? "it is a vision projector, which Hearth cannot use"
      : await problem(files);
    if (reason === null) models.push({ name, place, files, alias: null });
    else skipped.push({ name, reason });
  }
  return { models, skipped };
}

function isProjector(file: string): boolean {
  return /^mmproj\b|\bmmproj\b/i.test(file);
}

async function problem(files: ForeignModel["files"]): Promise<string | null> {
  for (const { path, name } of files)
    if (!(await isGgufFile(path)))
      return files.length === 1
        ? "it is not a GGUF file"
        : `its part ${name} is missing, or is not a GGUF file`;
  return null;
}
