/** Embedding and rerank models with random weights, in the layouts of real ones. */
import type { GgufEntryValue } from "../../kit/models/gguf-writer/encode.js";
import { encoderBytes } from "../../kit/models/gguf-writer/encoder.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { writeVerifiedFile } from "../../kit/models/verified-model.js";

/** Ticks for a token of a prompt. */
export const price = 7;
const prices = { promptTextTokenTicks: price, cachedPromptTextTokenTicks: 1, completionTextTokenTicks: 100 };
const uint = (value: number): GgufEntryValue => ({ type: "u32", value });

/** The context of each model, in tokens. */
export const contextTokens = 300;

const models = {
  bert: encoderBytes({ contextLength: contextTokens }),
  "nomic-embed": encoderBytes({ architecture: "nomic-bert", contextLength: contextTokens }),
  "bge-small": encoderBytes({ pooling: 2, contextLength: contextTokens }),
  "qwen3-embedding": modelBytes({
    contextLength: contextTokens,
    metadata: {
      "qwen3.pooling_type": uint(3),
      "tokenizer.ggml.add_eos_token": { type: "bool", value: true },
    },
  }),
};

/** Ids of the embedding models. */
export const embeddingModels = Object.keys(models) as readonly (keyof typeof models)[];

/** Writes the embedding models into a models folder. */
export async function writeEmbeddingModels(folder: string): Promise<void> {
  const fields = { kind: "embedding", family: "bert", contextTokens, prices, capabilities: noCapabilities };
  for (const [name, bytes] of Object.entries(models)) await writeVerifiedFile(folder, name, bytes, fields);
}

const noCapabilities = { reasoning: false, tools: false, structuredOutputs: false };

const rankers = {
  "bge-reranker": encoderBytes({ pooling: 4, contextLength: contextTokens }),
  "qwen3-reranker": modelBytes({
    contextLength: contextTokens,
    classes: 2,
    metadata: {
      "qwen3.pooling_type": uint(4),
      "qwen3.classifier.output_labels": { aggregateArrays: "string", values: ["yes", "no"] },
      "tokenizer.chat_template.rerank": {
        type: "string",
        value: "<|im_start|>system\nIs it relevant?<|im_end|>{query}<|im_start|>{document}<|im_end|>",
      },
    },
  }),
};

/** Ids of the rerank models. */
export const rerankModels = Object.keys(rankers) as readonly (keyof typeof rankers)[];

/** Writes the rerank models, and an embedding model that ranks by similarity, into a models folder. */
export async function writeRerankModels(folder: string): Promise<void> {
  const fields = { family: "bert", contextTokens, prices, capabilities: noCapabilities };
  for (const [name, bytes] of Object.entries(rankers))
    await writeVerifiedFile(folder, name, bytes, { kind: "rerank", ...fields });
  await writeVerifiedFile(folder, "similar", models.bert, {
    kind: "embedding",
    rerankBy: "similarity",
    ...fields,
  });
}
