import { copyOllamaModel, createOllamaBlob, createOllamaModel, pushOllamaModel } from "./not-served.js";
import { createOllamaChat } from "./chat.js";
import { deleteOllamaModel } from "./delete.js";
import { createOllamaEmbeddings } from "./embed.js";
import { createOllamaEmbedding } from "./embeddings.js";
import { createOllamaGeneration } from "./generate.js";
import { listOllamaRunning } from "./ps.js";
import { createOllamaPull } from "./pull.js";
import { showOllamaModel } from "./show.js";
import { listOllamaModels } from "./tags.js";
import { getOllamaVersion } from "./version.js";
import type { Route } from "../server/route.js";

/** Ollama's interface; the setting `ollamaApi` leaves it out. */
export const ollamaRoutes: readonly Route[] = [
  createOllamaChat,
  createOllamaGeneration,
  createOllamaEmbeddings,
  createOllamaEmbedding,
  listOllamaModels,
  showOllamaModel,
  listOllamaRunning,
  getOllamaVersion,
  createOllamaPull,
  deleteOllamaModel,
  copyOllamaModel,
  createOllamaModel,
  pushOllamaModel,
  createOllamaBlob,
];
