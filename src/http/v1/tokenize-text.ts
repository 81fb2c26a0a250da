/**
 * POST /v1/tokenize-text: the tokens of a text, by the tokenizer of a model of this server, or of a hosted one whose tokenizer
 * is known. What looks like a control token is plain text.
 */
import { z } from "zod";
import { authorise } from "../../accounts/keys/permissions.js";
import type { TextToken } from "../../core/engine.js";
import { invalidValue, fieldError } from "../../dialects/field-error.js";
import { modelField } from "../../dialects/bounded.js";
import { count, shape, shapes } from "../../dialects/shape.js";
import { wellFormed } from "../../dialects/well-formed.js";
import { whileClientWaits } from "../reply/client.js";
import type { BuiltDeps } from "../deps.js";
import { limitWork, settling } from "../middleware/limit.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

/** A model's tokenizer works where the models do: a longer text would keep their answers waiting. */
const textBytesMax = 128 * 1024;

const requestSchema = z
  .object({ model: modelField, text: z.string().describe(`At most ${textBytesMax} bytes in UTF-8.`) })
  .meta({ id: "TokenizeTextRequest" });

const token = shape({
  token_id: count("The token's place in the vocabulary."),
  string_token: z
    .string()
    .describe("The token's text, with a replacement character where it is no whole character."),
  token_bytes: shapes(count("A byte.")).describe("The token's bytes, exactly."),
});
const answer = shape({ token_ids: shapes(token), model: z.string() }).meta({ id: "TokenizedText" });

/** The handler over its dependencies. */
export function tokenizeText(deps: BuiltDeps): (call: Call) => Promise<void> {
  return async (call) => {
    const { ctx, principal, body, route } = call;
    const { model: name, text } = parse(body);
    const local = deps.models.find(name);
    const model = local?.manifest.id ?? name;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: name });
    const tokenizer =
      local === null && deps.hostedTokenizer.knows(name) ? deps.hostedTokenizer : deps.generator;
    const admission = await limitWork(deps, call, name, text);
    const tell = () => whileClientWaits(ctx.req.socket, (signal) => tokenizer.tokenize(name, text, signal));
    const tokens = await settling(admission, tell, (told) => told?.length ?? 0);
    if (tokens !== null) ctx.body = { token_ids: tokens.map(present), model };
  };
}

export const tokenizeTextDocs: RouteDocs = {
  operation: "tokenizeText",
  tag: "Models",
  summary: "Cut a text into tokens",
  description: "What looks like a control token is plain text.",
  body: requestSchema,
  example: { model: "hearth-tiny-5m", text: "Hello world!" },
  answers: { 200: { description: "The tokens, in order.", schema: answer } },
};

function parse(body: unknown): z.infer<typeof requestSchema> {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const text = wellFormed(parsed.data.text);
  if (Buffer.byteLength(text) > textBytesMax)
    throw invalidValue("text", `must be at most ${textBytesMax} bytes long in UTF-8`);
  return { ...parsed.data, text };
}

/** A token that is no whole character is told with a replacement character; its bytes are exact. */
function present({ id, bytes }: TextToken): z.infer<typeof token> {
  return { token_id: id, string_token: Buffer.from(bytes).toString(), token_bytes: bytes };
}
