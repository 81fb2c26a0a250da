/** POST /api/generate, as Ollama has it: streamed lines, or one JSON object. */
import { z } from "zod";
import {
  emptyGenerateLine,
  encodeGenerateLoaded,
  encodeOllamaGenerate,
  foldOllamaGenerate,
} from "../../dialects/ollama/generate/encode.js";
import { parseOllamaGenerate } from "../../dialects/ollama/generate/parse.js";
import { ollamaGenerateAnswer } from "../../dialects/ollama/generate/response-schema.js";
import { ollamaGenerateRequestSchema } from "../../dialects/ollama/generate/schema.js";
import { ollamaError } from "../../dialects/error-schema.js";
import type { AnswerForm } from "../../answers/ollama.js";
import { answerIn } from "./answer.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const form: AnswerForm = {
  parse: parseOllamaGenerate,
  loaded: encodeGenerateLoaded,
  empty: emptyGenerateLine,
  encoder: (identity) => ({ lines: (event) => encodeOllamaGenerate(identity, event) }),
  fold: foldOllamaGenerate,
};

/** Answers a prompt, or continues a raw one. */
export const createOllamaGeneration = apiKeyRoute({
  method: "POST",
  path: "/api/generate",
  acl: "sample",
  ...ollamaClients,
  docs: {
    operation: "createOllamaGeneration",
    tag: "Ollama",
    summary: "Answer a prompt, or continue a raw one",
    description: "The answer has no `context`: a conversation is sent to `/api/chat`.",
    body: ollamaGenerateRequestSchema,
    example: { model: "hearth-tiny-5m", prompt: "Hello!", stream: false },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: ollamaGenerateAnswer } },
    stream: { form: "lines", schema: z.union([ollamaGenerateAnswer, ollamaError]) },
  },
  handle: (call, app) => answerIn(form, call, app),
});
