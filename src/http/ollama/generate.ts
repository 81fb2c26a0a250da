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
import { encodeOllamaImage, parseOllamaImage } from "../../dialects/ollama/generate/image.js";
import {
  ollamaGenerateRequestSchema,
  type OllamaGenerateBody,
} from "../../dialects/ollama/generate/schema.js";
import { jsonLine, linesType } from "../../dialects/ollama/lines.js";
import { validFields } from "../../dialects/field-error.js";
import { ollamaError } from "../../dialects/error-schema.js";
import type { AnswerForm } from "../../answers/ollama.js";
import { authorise } from "../../accounts/principals/permissions.js";
import { imagesCall } from "../server/answer.js";
import type { AppContext } from "../server/app-context.js";
import { answerIn, timesFrom } from "./answer.js";
import { apiKeyRoute, type Call } from "../server/route.js";
import { ollamaClients } from "./clients.js";
import { knownName } from "./names.js";

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
    summary: "Answer a prompt, continue a raw one, or generate an image",
    description:
      "The answer has no `context`: a conversation is sent to `/api/chat`. An image model needs the ACL `image`, too, and answers with `image`, in one line.",
    body: ollamaGenerateRequestSchema,
    example: { model: "hearth-tiny-5m", prompt: "Hello!", stream: false },
    errors: ["no_credits", "budget_exceeded"],
    answers: { 200: { description: "The answer.", schema: ollamaGenerateAnswer } },
    stream: { form: "lines", schema: z.union([ollamaGenerateAnswer, ollamaError]) },
  },
  handle(call, app) {
    if (!namesImageModel(call, app)) return answerIn(form, call, app);
    const fields = validFields(ollamaGenerateRequestSchema, call.body);
    return (fields.prompt ?? "") === "" ? answerIn(form, call, app) : generateImage(fields, call, app);
  },
});

function namesImageModel({ body }: Call, { models }: AppContext): boolean {
  const named = z.object({ model: z.string() }).safeParse(body);
  return named.success && models.find(knownName(models, named.data.model))?.manifest.kind === "image";
}

/** A stream has one line: it begins when the image is finished, so that every failure has its status. */
async function generateImage(fields: OllamaGenerateBody, call: Call, app: AppContext): Promise<void> {
  const request = parseOllamaImage(fields);
  authorise(call.principal, { endpoint: "image", model: null });
  const identity = { model: fields.model, created: app.clock.now(), times: timesFrom(app) };
  const result = await imagesCall(app, call, { ...request, model: knownName(app.models, request.model) });
  const [image] = result?.images ?? [];
  if (image === undefined) return;
  call.ctx.body = jsonLine(encodeOllamaImage(identity, Buffer.from(image.bytes).toString("base64")));
  call.ctx.type = fields.stream === false ? "application/json" : linesType;
}
