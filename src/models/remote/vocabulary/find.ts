/**
 * Models on remote engines whose folder here has the files of their tokenizer, in the layout of Hugging Face, and no GGUF file. The
 * vocabulary is written as a GGUF file into a folder of such files, by the digest of what it was made from.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Model, ModelManifest } from "../../../core/model.js";
import { readRegularFile, UnreadableFileError } from "../../../system/regular-file.js";
import { broken, describeBare } from "../../describe.js";
import type { FoundModel, ReadFiles } from "../../folders/scan.js";
import { isModelId } from "../../manifest.js";
import type { Placements } from "../placement.js";
import { readLanguageFacts } from "./facts.js";
import { encodeVocabulary } from "./gguf.js";
import { isKept, keep } from "./kept-files.js";
import { readFileErrorCode, TokenizerRefusal } from "./refusal.js";
import { parseGenerationConfig, parseModelConfig, parseTokenizer, parseTokenizerConfig } from "./schema.js";
import { readVocabulary } from "./vocabulary.js";

const names = [
  "tokenizer.json",
  "tokenizer_config.json",
  "config.json",
  "generation_config.json",
  "chat_template.jinja",
] as const;
const [tokenizerName] = names;
const fileBytesMax = 64 * 1024 * 1024;
/** Changes with what is written of the same files. */
const form = "1";

interface VocabularySearch {
  /** Folders of models. */
  readonly folders: readonly string[];
  /** Where vocabularies are kept; null: nowhere, and no model is found so. */
  readonly cacheFolder: string | null;
  readonly readFiles: ReadFiles;
}

/** Returns the placed models that `has` does not know, and that have a tokenizer.json in the folder of their id. */
export async function modelsWithTokenizer(
  placements: Placements,
  has: (id: string) => boolean,
  { folders, cacheFolder, readFiles }: VocabularySearch,
): Promise<readonly FoundModel[]> {
  if (cacheFolder === null) return [];
  const found: FoundModel[] = [];
  for (const [id, { contextTokens }] of placements) {
    if (contextTokens !== null || has(id) || !isModelId(id) || id.split("/").includes("..")) continue;
    const root = await folderWith(folders, id);
    if (root === null) continue;
    const files = names.map((name) => join(root, id, name));
    const { model } = await readFiles.get(files, async () => ({
      model: await describe(join(root, id), id, cacheFolder),
      adapter: null,
      projector: null,
    }));
    found.push({ model, suggestedAliases: [], root, isBare: true, adapter: null });
  }
  return found;
}

async function folderWith(folders: readonly string[], id: string): Promise<string | null> {
  for (const root of folders) {
    const stats = await stat(join(root, id, tokenizerName)).catch(() => null);
    if (stats?.isFile() === true) return root;
  }
  return null;
}

async function describe(folder: string, id: string, cacheFolder: string): Promise<Model> {
  try {
    const texts = await Promise.all(names.map((name) => readText(folder, name)));
    const digest = computeDigest(id, texts);
    const file = `${digest}.gguf`;
    const [tokenizer = "", tokenizerConfig = null, config = null, generationConfig = null, template = null] =
      texts;
    const modelConfig = parseModelConfig(config);
    if (!(await isKept(cacheFolder, file))) {
      const parsed = parseTokenizer(tokenizer ?? "");
      const facts = readLanguageFacts(id, {
        tokenizer: parsed,
        tokenizerConfig: parseTokenizerConfig(tokenizerConfig),
        config: modelConfig,
        generationConfig: parseGenerationConfig(generationConfig),
        template,
      });
      const size = modelConfig.vocab_size ?? modelConfig.text_config?.vocab_size ?? 0;
      await keep(cacheFolder, file, encodeVocabulary(readVocabulary(parsed, size), facts));
    }
    const model = await describeBare(cacheFolder, file);
    const { manifest } = model;
    const own: ModelManifest = {
      ...manifest,
      id,
      aliases: [],
      name: id,
      family: modelConfig.model_type ?? "unknown",
      file: tokenizerName,
    };
    const fingerprint = `fp_${digest.slice(0, 10)}`;
    return { ...model, manifest: own, fingerprint, tokenizerFile: join(folder, tokenizerName) };
  } catch (thrown) {
    if (!(thrown instanceof TokenizerRefusal)) throw thrown;
    const model = broken(folder, JSON.stringify({ id }), `${thrown.message}.`);
    return { ...model, tokenizerFile: join(folder, tokenizerName) };
  }
}

/** Returns the text of a file; null when the file does not exist. @throws TokenizerRefusal */
async function readText(folder: string, name: string): Promise<string | null> {
  const path = join(folder, name);
  try {
    return (await readRegularFile(path, fileBytesMax)).toString("utf8");
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError)
      throw new TokenizerRefusal(`${name} cannot be read: ${thrown.message}`);
    const code = readFileErrorCode(thrown);
    if (code === "ENOENT") return null;
    throw new TokenizerRefusal(`${name} cannot be read (${code})`);
  }
}

function computeDigest(id: string, texts: readonly (string | null)[]): string {
  return createHash("sha256")
    .update(JSON.stringify([form, id, texts]))
    .digest("hex")
    .slice(0, 32);
}
