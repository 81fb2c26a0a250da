/** POST /v1/tokenize-text: the tokens of a text, by a model's own tokenizer. What looks like a control token is plain text. */
import { z } from "zod";
import { authorise } from "../../accounts/permissions.js";
import type { TextToken } from "../../core/engine.js";
import { invalidValue, fieldError } from "../../dialects/field-error.js";
import { wellFormed } from "../../dialects/well-formed.js";
import { whileClientWaits } from "../client.js";
import type { BuiltDeps } from "../deps.js";
import type { Call } from "../route.js";

/** The tokenizer works where the models do: a longer text would keep their answers waiting. */
const textBytesMax = 128 * 1024;

const requestSchema = z.object({ model: z.string().min(1, "must not be empty"), text: z.string() });

/** The handler over its dependencies. */
export function tokenizeText(deps: Pick<BuiltDeps, "models" | "generator">): (call: Call) => Promise<void> {
  return async ({ ctx, principal, body, route }) => {
    const { model: name, text } = parse(body);
    const model = deps.models.find(name)?.manifest.id ?? name;
    authorise(principal, { endpoint: route.endpointAcl, model, modelAsWritten: name });
    const tokens = await whileClientWaits(ctx.req.socket, (signal) =>
      deps.generator.tokenize(name, text, signal),
    );
    if (tokens !== null) ctx.body = { token_ids: tokens.map(present), model };
  };
}

function parse(body: unknown): z.infer<typeof requestSchema> {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) throw fieldError(parsed.error, body);
  const text = wellFormed(parsed.data.text);
  if (Buffer.byteLength(text) > textBytesMax)
    throw invalidValue("text", `must be at most ${textBytesMax} bytes long in UTF-8`);
  return { ...parsed.data, text };
}

/** A token that is no whole character is told with a replacement character; its bytes are exact. */
function present({ id, bytes }: TextToken) {
  return { token_id: id, string_token: Buffer.from(bytes).toString(), token_bytes: bytes };
}
