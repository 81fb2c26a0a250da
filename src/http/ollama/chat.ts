/** POST /api/chat, as Ollama has it: streamed lines, or one JSON object. */
import { z } from "zod";
import {
  createOllamaChatEncoder,
  emptyChatLine,
  encodeChatLoaded,
  foldOllamaChat,
} from "../../dialects/ollama/chat/encode.js";
import { parseOllamaChat } from "../../dialects/ollama/chat/parse.js";
import { ollamaChatAnswer } from "../../dialects/ollama/chat/response-schema.js";
import { ollamaChatRequestSchema } from "../../dialects/ollama/chat/schema.js";
import { ollamaError } from "../../dialects/error-schema.js";
import type { AnswerForm } from "../../answers/ollama.js";
import { answerIn } from "./answer.js";
import { apiKeyRoute } from "../server/route.js";
import { ollamaClients } from "./clients.js";

const form: AnswerForm = {
  parse: parseOllamaChat,
  loaded: encodeChatLoaded,
  empty: emptyChatLine,
  encoder: createOllamaChatEncoder,
  fold: foldOllamaChat,
};

/** Answers a conversation. */
export const createOllamaChat = apiKeyRoute({
  method: "POST",
  path: "/api/chat",
  acl: "chat",
  ...ollamaClients,
  docs: {
    operation: "createOllamaChat",
    tag: "Ollama",
    summary: "Answer a conversation",
    description:
      "A text of the assistant at the end is continued. A conversation that does not fit is refused unless `truncate` is true.",
    body: ollamaChatRequestSchema,
    example: { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello!" }], stream: false },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: ollamaChatAnswer } },
    stream: { form: "lines", schema: z.union([ollamaChatAnswer, ollamaError]) },
  },
  handle: (call, app) => answerIn(form, call, app),
});
