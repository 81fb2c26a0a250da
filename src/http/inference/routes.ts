import { getApiKey } from "./api-key.js";
import { createBatch, listBatches, getBatch } from "./batches/batches.js";
import { cancelBatch } from "./batches/cancel-batch.js";
import { cancelMessageBatch } from "./batches/cancel-message-batch.js";
import { getMessageBatchResults } from "./batches/message-batch-results.js";
import {
  createMessageBatch,
  listMessageBatches,
  getMessageBatch,
  deleteMessageBatch,
} from "./batches/message-batches.js";
import {
  createChatCompletion,
  listStoredCompletions,
  getStoredCompletion,
  updateStoredCompletion,
  deleteStoredCompletion,
} from "./chat/completions.js";
import { getDeferredCompletion } from "./chat/deferred-completion.js";
import { listStoredMessages } from "./chat/stored-messages.js";
import { createTextCompletion } from "./completions/complete.js";
import { createCompletion } from "./completions/completions.js";
import {
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
} from "./conversations/conversations.js";
import {
  createConversationItems,
  listConversationItems,
  getConversationItem,
  deleteConversationItem,
} from "./conversations/items.js";
import { createEmbeddings } from "./embeddings/embeddings.js";
import { createRanking } from "./embeddings/rerank.js";
import { getFileContent } from "./files/content.js";
import { createFile, listFiles, getFile, deleteFile } from "./files/files.js";
import { editImage, varyImage } from "./images/edits.js";
import { createImages } from "./images/generations.js";
import { getImage } from "./images/image-file.js";
import { countMessageTokens } from "./messages/count-tokens.js";
import { createMessage } from "./messages/messages.js";
import { listEmbeddingModels, getEmbeddingModel } from "./models/embedding-models.js";
import { listImageGenerationModels, getImageGenerationModel } from "./models/image-generation-models.js";
import { listLanguageModels, getLanguageModel } from "./models/language-models.js";
import { listLoadedModels } from "./models/loaded-models.js";
import { listModels, getModel } from "./models/models.js";
import { tokenizeText } from "./models/tokenize-text.js";
import { cancelResponse } from "./responses/cancel.js";
import { compactConversation } from "./responses/compact.js";
import { listInputItems } from "./responses/input-items.js";
import { countInputTokens } from "./responses/input-tokens.js";
import { createResponse, getResponse, deleteResponse } from "./responses/responses.js";
import type { Route } from "../server/route.js";

/** What API keys open: /v1, and generated images. */
export const inferenceRoutes: readonly Route[] = [
  // Text
  createChatCompletion,
  getDeferredCompletion,
  createMessage,
  countMessageTokens,
  createCompletion,
  createTextCompletion,
  tokenizeText,
  // Stored chat completions
  listStoredCompletions,
  getStoredCompletion,
  updateStoredCompletion,
  deleteStoredCompletion,
  listStoredMessages,
  // Responses
  createResponse,
  countInputTokens,
  compactConversation,
  getResponse,
  deleteResponse,
  listInputItems,
  cancelResponse,
  // Conversations
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
  createConversationItems,
  listConversationItems,
  getConversationItem,
  deleteConversationItem,
  // Embeddings and images
  createEmbeddings,
  createRanking,
  createImages,
  editImage,
  varyImage,
  getImage,
  // Files and batches
  createFile,
  listFiles,
  getFile,
  deleteFile,
  getFileContent,
  createBatch,
  listBatches,
  getBatch,
  cancelBatch,
  createMessageBatch,
  listMessageBatches,
  getMessageBatch,
  deleteMessageBatch,
  getMessageBatchResults,
  cancelMessageBatch,
  // Models and the key
  listModels,
  getModel,
  listLanguageModels,
  getLanguageModel,
  listEmbeddingModels,
  getEmbeddingModel,
  listImageGenerationModels,
  getImageGenerationModel,
  listLoadedModels,
  getApiKey,
];
