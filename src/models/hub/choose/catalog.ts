/**
 * A short list of open models by the names that people know, for `hearth pull name:tag`. A name without a tag is its first entry. Sizes are
 * approximate; the hub states the exact ones.
 */
import { closestTexts } from "../../../system/closest-texts.js";
import { quoted } from "../../gguf/refusal.js";
import { notThere } from "../errors.js";

interface CatalogEntry {
  readonly name: string;
  readonly tag: string;
  readonly repo: string;
  /** The quantization, or the number type of ONNX graphs. */
  readonly quant: string;
  readonly gigabytes: number;
  readonly license: string;
  readonly goodAt: string;
}

type Row = readonly [tag: string, repo: string, quant: string, gigabytes: number];

/** Each name with its licence and what it is good at, then its tags. */
const models: Readonly<
  Record<string, { readonly license: string; readonly goodAt: string; readonly tags: readonly Row[] }>
> = {
  qwen3: {
    license: "apache-2.0",
    goodAt: "chat, reasoning and tools in many languages",
    tags: [
      ["8b", "Qwen/Qwen3-8B-GGUF", "Q4_K_M", 5.0],
      ["0.6b", "Qwen/Qwen3-0.6B-GGUF", "Q8_0", 0.6],
      ["1.7b", "Qwen/Qwen3-1.7B-GGUF", "Q8_0", 1.8],
      ["4b", "Qwen/Qwen3-4B-GGUF", "Q4_K_M", 2.5],
      ["14b", "Qwen/Qwen3-14B-GGUF", "Q4_K_M", 9.0],
      ["32b", "Qwen/Qwen3-32B-GGUF", "Q4_K_M", 19.8],
      ["30b-a3b", "Qwen/Qwen3-30B-A3B-GGUF", "Q4_K_M", 18.6],
    ],
  },
  "qwen2.5-coder": {
    license: "apache-2.0",
    goodAt: "writing and completing code",
    tags: [
      ["7b", "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF", "Q4_K_M", 4.7],
      ["1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "Q4_K_M", 1.1],
      ["14b", "Qwen/Qwen2.5-Coder-14B-Instruct-GGUF", "Q4_K_M", 9.0],
    ],
  },
  "llama3.2": {
    license: "llama3.2",
    goodAt: "short chats on small machines",
    tags: [
      ["3b", "bartowski/Llama-3.2-3B-Instruct-GGUF", "Q4_K_M", 2.0],
      ["1b", "bartowski/Llama-3.2-1B-Instruct-GGUF", "Q4_K_M", 0.8],
    ],
  },
  gemma3: {
    license: "gemma",
    goodAt: "chat and writing in many languages",
    tags: [
      ["4b", "ggml-org/gemma-3-4b-it-GGUF", "Q4_K_M", 2.5],
      ["1b", "ggml-org/gemma-3-1b-it-GGUF", "Q4_K_M", 0.8],
      ["12b", "ggml-org/gemma-3-12b-it-GGUF", "Q4_K_M", 7.3],
      ["27b", "ggml-org/gemma-3-27b-it-GGUF", "Q4_K_M", 16.5],
    ],
  },
  smollm3: {
    license: "apache-2.0",
    goodAt: "chat and reasoning on small machines",
    tags: [["3b", "ggml-org/SmolLM3-3B-GGUF", "Q4_K_M", 1.9]],
  },
  "gpt-oss": {
    license: "apache-2.0",
    goodAt: "reasoning and tools on a machine with 16 GB or more",
    tags: [["20b", "ggml-org/gpt-oss-20b-GGUF", "MXFP4", 12.1]],
  },
  phi4: {
    license: "mit",
    goodAt: "mathematics and science in English",
    tags: [["14b", "bartowski/phi-4-GGUF", "Q4_K_M", 9.1]],
  },
  "nomic-embed-text": {
    license: "apache-2.0",
    goodAt: "embeddings of English texts",
    tags: [["v1.5", "nomic-ai/nomic-embed-text-v1.5-GGUF", "Q8_0", 0.15]],
  },
  bge: {
    license: "mit",
    goodAt: "embeddings: small-en of English texts, m3 of many languages",
    tags: [
      ["small-en", "CompendiumLabs/bge-small-en-v1.5-gguf", "Q8_0", 0.04],
      ["m3", "gpustack/bge-m3-GGUF", "Q8_0", 0.6],
    ],
  },
};

export const catalog: readonly CatalogEntry[] = Object.entries(models).flatMap(
  ([name, { license, goodAt, tags }]) =>
    tags.map(([tag, repo, quant, gigabytes]) => ({ name, tag, repo, quant, gigabytes, license, goodAt })),
);

/**
 * Returns the entry of a name.
 * @param tag null or `latest`: the first one.
 * @throws HearthError `model_not_found` with the closest names, or the tags that there are.
 */
export function findInCatalog(name: string, tag: string | null): CatalogEntry {
  const ofName = catalog.filter((entry) => entry.name === name);
  const found = tag === null || tag === "latest" ? ofName[0] : ofName.find((entry) => entry.tag === tag);
  if (found !== undefined) return found;
  if (ofName.length > 0)
    throw notThere(
      `${quoted(name)} has no tag ${quoted(tag ?? "")}; there are ${ofName.map((entry) => `${name}:${entry.tag}`).join(", ")}.`,
    );
  const names = Object.keys(models);
  const closest = closestTexts(name, names);
  const shown = closest.length > 0 ? `Did you mean ${closest.join(" or ")}?` : `It has ${names.join(", ")}.`;
  throw notThere(
    `The list of models has no ${quoted(name)}. ${shown} Any other model is pulled as org/repo or by its URL.`,
  );
}
