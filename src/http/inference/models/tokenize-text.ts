/**
 * POST /v1/tokenize-text: tokenizes a text with the tokenizer of a model of this server, or of a hosted model with a known
 * tokenizer. Text that looks like a control token is tokenized as plain text.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { authorise, modelNames } from "../../../accounts/principals/permissions.js";
import type { TextToken, TextTokens } from "../../../core/engine.js";
import { invalidValue, validFields } from "../../../dialects/field-error.js";
import { modelIdField } from "../../../dialects/request-fields.js";
import { countField, responseArray, responseObject } from "../../../dialects/response-fields.js";
import { wellFormed } from "../../../dialects/well-formed.js";
import { whileClientWaits } from "../../server/reply/client.js";
import { reserveTokens } from "../../../answers/admit.js";
import { readCall } from "../../server/answer.js";
import { withReservation } from "../../server/middleware/limit.js";
import { unknownModel } from "../../../answers/authorise-model.js";
import { apiKeyRoute } from "../../server/route.js";

/** Tokenizers share a thread with their models, so that a longer text would delay the answers of the model. */
const textBytesMax = 128 * 1024;

/** Tokens that are presented in one turn of the event loop, in about a millisecond. */
const tokensPerPiece = 1000;

const requestSchema = z
  .object({ model: modelIdField, text: z.string().describe(`At most ${textBytesMax} bytes in UTF-8.`) })
  .meta({ id: "TokenizeTextRequest" });

const token = responseObject({
  token_id: countField("Index of the token in the vocabulary."),
  string_token: z
    .string()
    .describe("Text of the token, with a replacement character for an incomplete character."),
  token_bytes: responseArray(countField("A byte.")).describe("The exact bytes of the token."),
});
const tokenizedText = responseObject({ token_ids: responseArray(token), model: z.string() }).meta({
  id: "TokenizeTextResponse",
});

/** Returns the tokens of a text. */
export const tokenizeText = apiKeyRoute({
  method: "POST",
  path: "/v1/tokenize-text",
  acl: "tokenize",
  docs: {
    operation: "tokenizeText",
    tag: "Models",
    summary: "Tokenize a text",
    description: "Text that looks like a control token is tokenized as plain text.",
    body: requestSchema,
    example: { model: "hearth-tiny-5m", text: "Hello world!" },
    answers: { 200: { description: "The tokens, in order.", schema: tokenizedText } },
  },
  async handle(call, app) {
    const { ctx, principal, body, route } = call;
    const { model: name, text } = parse(body);
    const local = app.models.find(name);
    const model = local?.manifest.id ?? name;
    authorise(principal, { endpoint: route.acl, model: modelNames(name, local) });
    if (local === null && !app.hostedTokenizer.knows(name))
      throw unknownModel(app.models, principal, name, "chat");
    const tokenizer = local === null ? app.hostedTokenizer : app.generator;
    const tokens = await whileClientWaits(ctx.req.socket, async (signal) => {
      const reservation = await reserveTokens(app, readCall(app, call, signal), name, text);
      return withReservation(
        reservation,
        () => tokenizer.tokenize(name, text, signal),
        (result) => result.length,
      );
    });
    if (tokens === null) return;
    ctx.body = await toJson(tokens, model);
    ctx.type = "application/json";
  },
});

function parse(body: unknown): z.infer<typeof requestSchema> {
  const fields = validFields(requestSchema, body);
  const text = wellFormed(fields.text);
  if (Buffer.byteLength(text) > textBytesMax)
    throw invalidValue("text", `must be at most ${textBytesMax} bytes long in UTF-8`);
  return { ...fields, text };
}

/**
 * Returns the JSON of an answer, which has a hundred times the bytes of the text; other requests run between its pieces.
 */
async function toJson(tokens: TextTokens, model: string): Promise<string> {
  const pieces: string[] = [];
  let piece: string[] = [];
  for (const each of tokens) {
    piece.push(JSON.stringify(present(each)));
    if (piece.length < tokensPerPiece) continue;
    pieces.push(piece.join(","));
    piece = [];
    await setImmediate();
  }
  if (piece.length > 0) pieces.push(piece.join(","));
  return `{"token_ids":[${pieces.join(",")}],"model":${JSON.stringify(model)}}`;
}

/** Presents a token; an incomplete character becomes a replacement character, the bytes stay exact. */
function present({ id, bytes }: TextToken): z.infer<typeof token> {
  return { token_id: id, string_token: Buffer.from(bytes).toString(), token_bytes: bytes };
}
