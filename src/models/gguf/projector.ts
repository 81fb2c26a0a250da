/** Reads projectors: GGUF files (`mmproj`) that make images or sound readable for a text model beside them. */
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ProjectorFile } from "../../core/model.js";
import { readGguf } from "../gguf.js";
import { isProjectorName, readModelStem } from "../parts.js";
import { isProjector } from "./projector-kind.js";

/**
 * Reads the header of a projector. One that is called so and has no valid header reads nothing; its trial says why.
 * @returns null for a file that cannot be read or is no projector.
 */
export async function readProjector(path: string): Promise<ProjectorFile | null> {
  const [result, stats] = await Promise.all([readGguf(path), stat(path).catch(() => null)]);
  if (stats === null) return null;
  const file = { path, bytes: stats.size, modifiedTime: stats.mtimeMs };
  if (!result.ok) return isProjectorName(path) ? { ...file, images: false, audio: false } : null;
  if (!isProjector(result.header.metadata)) return null;
  const { values } = result.header.metadata;
  return {
    ...file,
    images: values.get("clip.has_vision_encoder") === true,
    audio: values.get("clip.has_audio_encoder") === true,
  };
}

/** Types of weights in file names, the best first: the most exact one that is computed fast. */
const preferred = ["f16", "bf16", "q8_0", "f32"];

/**
 * Returns the projector of a model, of those in its folder; null if there is none.
 * @param sharesFolder whether other models are in the folder: then it has to be named for its model
 */
export function chooseProjector<File extends { readonly path: string }>(
  path: string,
  projectors: readonly File[],
  sharesFolder: boolean,
): File | null {
  const beside = projectors.filter((projector) => dirname(projector.path) === dirname(path));
  const named = beside.filter((projector) => isNamedFor(basename(projector.path), basename(path)));
  const candidates = named.length > 0 || sharesFolder ? named : beside;
  const rank = ({ path: file }: File): number => {
    const at = preferred.findIndex((type) => basename(file).toLowerCase().includes(type));
    return at === -1 ? preferred.length : at;
  };
  // `model-7b` is named for `model-7b-chat`, too, which may have its own.
  const exactness = ({ path: file }: File): number =>
    named.length === 0 ? 0 : readProjectorName(basename(file)).length;
  const [best = null] = candidates.toSorted(
    (a, b) => exactness(b) - exactness(a) || rank(a) - rank(b) || a.path.localeCompare(b.path),
  );
  return best;
}

/** Whether the name of a projector begins the name of a model. */
function isNamedFor(projector: string, model: string): boolean {
  const name = readProjectorName(projector);
  return name !== "" && readWords(model).join("-").startsWith(name);
}

/** Returns the name of a projector without `mmproj` and the type of its weights. */
function readProjectorName(projector: string): string {
  const words = readWords(projector).filter((word) => word !== "mmproj" && word !== "model");
  // `q8_0` is two words.
  const end = words.findLastIndex((word) => !isType(word)) + 1;
  return words.slice(0, end).join("-");
}

function readWords(file: string): readonly string[] {
  return readModelStem(file)
    .toLowerCase()
    .split(/[-_. ]+/)
    .filter((word) => word !== "");
}

function isType(word: string): boolean {
  return /^(?:b?f(?:16|32)|q\d|k|m|s|l|0|fp16|fp32)$/.test(word);
}
