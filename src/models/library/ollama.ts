/**
 * Finds the models of Ollama: `manifests/HOST/NAMESPACE/NAME/TAG` names the blob of the weights, `blobs/sha256-HEX`, which is a GGUF
 * file.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../../system/regular-file.js";
import { entriesIn, isGgufFile } from "./files.js";
import type { ForeignModel, ForeignModels, Skipped } from "./foreign-model.js";

const manifestBytesMax = 1024 * 1024;
const ollamaHost = "registry.ollama.ai";
const ollamaNamespace = "library";
const weightsType = "application/vnd.ollama.image.model";
const projectorType = "application/vnd.ollama.image.projector";
const adapterType = "application/vnd.ollama.image.adapter";

const manifestSchema = z.object({
  layers: z
    .array(z.object({ mediaType: z.string(), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }))
    .max(1000),
});

/** @param folder with `blobs` and `manifests`. */
export async function findOllamaModels(folder: string): Promise<ForeignModels> {
  const models: ForeignModel[] = [];
  const skipped: Skipped[] = [];
  for (const place of await tags(join(folder, "manifests"))) {
    const name = formatName(place);
    const found = await findWeights(folder, place);
    if ("reason" in found) skipped.push({ name, reason: found.reason });
    else models.push(toForeignModel(place, name, found));
  }
  return { models, skipped };
}

type Place = readonly [host: string, namespace: string, name: string, tag: string];

async function tags(manifests: string): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (const host of await entriesIn(manifests))
    for (const namespace of await entriesIn(join(manifests, host)))
      for (const name of await entriesIn(join(manifests, host, namespace)))
        for (const tag of await entriesIn(join(manifests, host, namespace, name)))
          found.push([host, namespace, name, tag]);
  return found;
}

/** Returns the name as Ollama prints it: `llama3.2:3b`, `user/name:tag`, `hf.co/org/repo:Q4_K_M`. */
function formatName([host, namespace, name, tag]: Place): string {
  if (host !== ollamaHost) return `${host}/${namespace}/${name}:${tag}`;
  return namespace === ollamaNamespace ? `${name}:${tag}` : `${namespace}/${name}:${tag}`;
}

function toForeignModel(
  [, namespace, name, tag]: Place,
  alias: string,
  { path, projector }: FoundWeights,
): ForeignModel {
  const file = `${name}-${tag}.gguf`;
  const beside = projector === null ? [] : [{ path: projector, name: `mmproj-${file}` }];
  return { name: alias, place: [namespace, name], files: [{ path, name: file }, ...beside], alias };
}

interface FoundWeights {
  readonly path: string;
  /** What reads images or sound for it; null: nothing. */
  readonly projector: string | null;
}

async function findWeights(
  folder: string,
  place: Place,
): Promise<FoundWeights | { readonly reason: string }> {
  const manifest = await readManifest(join(folder, "manifests", ...place));
  if (manifest === null) return { reason: "its manifest cannot be read" };
  const weights = manifest.layers.filter(({ mediaType }) => mediaType === weightsType);
  const [layer] = weights;
  if (layer === undefined) return { reason: "it has no GGUF weights" };
  if (weights.length > 1) return { reason: "its weights are several files" };
  if (manifest.layers.some(({ mediaType }) => mediaType === adapterType))
    return { reason: "it is an adapter over another model" };
  const locate = ({ digest }: { readonly digest: string }): string =>
    join(folder, "blobs", digest.replace(":", "-"));
  const path = locate(layer);
  const found = manifest.layers.find(({ mediaType }) => mediaType === projectorType);
  const projector = found !== undefined && (await isGgufFile(locate(found))) ? locate(found) : null;
  if ((await stat(path).catch(() => null)) === null)
    return { reason: "its weights are missing; pull it with Ollama again" };
  return (await isGgufFile(path)) ? { path, projector } : { reason: "its weights are not a GGUF file" };
}

async function readManifest(path: string): Promise<z.infer<typeof manifestSchema> | null> {
  try {
    const content = await readRegularFile(path, manifestBytesMax);
    const parsed = manifestSchema.safeParse(JSON.parse(content.toString("utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
