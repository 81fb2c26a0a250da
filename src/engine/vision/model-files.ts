import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readRegularFile } from "../../system/regular-file.js";

const configBytesMax = 1024 * 1024;
const config = z.object({ model_type: z.string() });

/** Returns the `model_type` of a model's config.json. @throws Error when it has none, or cannot be read. */
export async function readModelType(folder: string): Promise<string> {
  const content = await readRegularFile(join(folder, "config.json"), configBytesMax);
  return config.parse(JSON.parse(content.toString("utf8"))).model_type;
}

/** File name suffixes of each number type, most precise first; the first one that exists is used. */
const suffixes = {
  fp32: "",
  fp16: "_fp16",
  q8: "_quantized",
  int8: "_int8",
  uint8: "_uint8",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
} as const;

interface ModelFiles {
  /** Number type of each part, by its name without suffix, such as `decoder_model_merged`. */
  readonly dtype: Readonly<Record<string, keyof typeof suffixes>>;
  /** Number of external data files of a part, by the name of its file. */
  readonly externalData: Readonly<Record<string, number>>;
}

/** Lists the files in the `onnx` folder of a model, so that any published combination of exports can be loaded. */
export async function listModelFiles(folder: string): Promise<ModelFiles> {
  const names = await readdir(join(folder, "onnx"));
  const dtype: Record<string, keyof typeof suffixes> = {};
  const externalData: Record<string, number> = {};
  for (const [type, suffix] of Object.entries(suffixes))
    for (const name of names) {
      const part = findPart(name, suffix);
      if (part === null) continue;
      dtype[part] ??= type as keyof typeof suffixes;
      const chunks = names.filter((each) => new RegExp(`^${escape(name)}_data(_\\d+)?$`).test(each)).length;
      if (chunks > 0) externalData[name] = chunks;
    }
  return { dtype, externalData };
}

function findPart(name: string, suffix: string): string | null {
  if (!name.endsWith(`${suffix}.onnx`)) return null;
  const part = name.slice(0, -`${suffix}.onnx`.length);
  const isOther = Object.values(suffixes).some((other) => other !== "" && part.endsWith(other));
  return isOther ? null : part;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
