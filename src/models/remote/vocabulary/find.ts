/**
 * Models on remote engines whose folder here has the files of their tokenizer, in the layout of Hugging Face, and no GGUF file. The
 * vocabulary is written as a GGUF file into a folder of such files, by the digest of what it was made from.
 */
import { createHash } from "node:crypto";
import { stat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Model, ModelManifest } from "../../../core/model.js";
import { readRegularFile, UnreadableFileError } from "../../../system/regular-file.js";
import { broken, describeBare } from "../../describe.js";
import type { FoundModel, ReadFiles } from "../../folders/scan.js";
import { isModelId } from "../../manifest.js";
import type { Placements } from "../placement.js";
import { encodeVocabulary, type LanguageFacts } from "./gguf.js";
import { TokenizerRefusal } from "./refusal.js";
import {
  parseGenerationConfig,
  parseModelConfig,
  parseTokenizer,
  parseTokenizerConfig,
  type GenerationConfig,
  type ModelConfig,
  type TokenizerConfig,
  type TokenizerFile,
} from "./schema.js";
import { readVocabulary } from "./vocabulary.js";
import { listSteps } from "./pre-tokenizer.js";

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

// The folder of the vocabularies that were written: files whose names are digests, the latest ones.

/** Files of models that have changed or are placed no more count, too; each has some megabytes. */
const filesMax = 32;

async function isKept(folder: string, file: string): Promise<boolean> {
  const stats = await stat(join(folder, file)).catch(() => null);
  return stats?.isFile() === true;
}

/** Writes a file, and removes the oldest ones. @throws TokenizerRefusal */
async function keep(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, file);
  const unfinished = `${path}.${process.pid}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
    await removeOldest(folder);
  } catch (thrown) {
    throw new TokenizerRefusal(
      `its vocabulary cannot be written to ${folder} (${readFileErrorCode(thrown)})`,
    );
  }
}

async function removeOldest(folder: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      return { path, writtenAt: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { path } of files.slice(filesMax)) await rm(path, { force: true });
}

// What the files beside a tokenizer.json say of a model: its template, its context, and the tokens that begin and end texts.

interface ConfigFiles {
  readonly tokenizer: TokenizerFile;
  readonly tokenizerConfig: TokenizerConfig;
  readonly config: ModelConfig;
  readonly generationConfig: GenerationConfig;
  /** From chat_template.jinja; null: there is no such file. */
  readonly template: string | null;
}

/** Where a tokenizer says that a text may have any length, it states a greater number. */
const lengthMax = 100_000_000;

/** @throws TokenizerRefusal */
function readLanguageFacts(name: string, files: ConfigFiles): LanguageFacts {
  const { tokenizer, tokenizerConfig: settings, generationConfig } = files;
  const findId = (field: "bos_token" | "eos_token" | "pad_token"): number | null => {
    const text = settings[field];
    if (text == null) return null;
    const id =
      tokenizer.added_tokens.find(({ content }) => content === text)?.id ?? tokenizer.model.vocab[text];
    if (id === undefined)
      throw new TokenizerRefusal(`tokenizer_config.json: ${field}: '${text}' is no token of tokenizer.json`);
    return id;
  };
  const ends = [generationConfig.eos_token_id ?? []].flat();
  const bosToken = findId("bos_token");
  const [eosToken, ...otherEndTokens] = [...new Set([findId("eos_token") ?? [], ends].flat())];
  if (eosToken === undefined)
    throw new TokenizerRefusal("tokenizer_config.json: eos_token: is needed, to know where answers end");
  return {
    name,
    contextTokens: findContextTokens(files),
    template: findTemplate(files),
    bosToken,
    eosToken,
    padToken: findId("pad_token"),
    otherEndTokens,
    addsBos: settings.add_bos_token ?? beginsWithSpecialToken(tokenizer),
  };
}

function findContextTokens({ config, tokenizerConfig: { model_max_length: length } }: ConfigFiles): number {
  const tokens = config.max_position_embeddings ?? config.text_config?.max_position_embeddings;
  if (tokens != null) return tokens;
  if (typeof length === "number" && length >= 1 && length <= lengthMax) return Math.floor(length);
  throw new TokenizerRefusal(
    "config.json: max_position_embeddings: is needed, to know how much the model reads",
  );
}

function findTemplate({ template, tokenizerConfig: { chat_template: written } }: ConfigFiles): string | null {
  if (template !== null) return template;
  if (typeof written === "string") return written;
  return written?.find(({ name }) => name === "default")?.template ?? written?.[0]?.template ?? null;
}

function beginsWithSpecialToken({ post_processor: processor }: TokenizerFile): boolean {
  return listSteps(processor).some(({ single }) => {
    const [first] = Array.isArray(single) ? (single as readonly object[]) : [];
    return first !== undefined && "SpecialToken" in first;
  });
}

/** Returns what the operating system calls an error of a file. */
function readFileErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
}
