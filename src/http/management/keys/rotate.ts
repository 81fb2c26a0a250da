/** POST /auth/api-keys/{apiKeyId}/rotate: gives a key a new secret; the old secret stays valid for a while. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { createdApiKeySchema, presentCreatedKey } from "./present-key.js";
import { epochMs, parseFields, timeField } from "../../../dialects/management/fields.js";
import { accountRoute } from "../../server/route.js";

const requestSchema = z
  .object({
    expireTime: timeField.nullish().describe("New expiry time of the key; absent = unchanged."),
    oldSecretExpireTime: timeField
      .nullish()
      .describe("When the old secret expires: at most 7 days from now; the default is 24 hours."),
  })
  .meta({ id: "RotateApiKeyRequest" });

/** Rotates a key. */
export const rotateApiKey = accountRoute({
  method: "POST",
  path: "/auth/api-keys/:apiKeyId/rotate",
  acl: "RotateApiKey",
  docs: {
    operation: "rotateApiKey",
    tag: "Accounts",
    summary: "Give an API key a new secret",
    description: "A secret that an earlier rotation replaced expires immediately.",
    params: { apiKeyId: "Id of an API key." },
    body: requestSchema,
    example: {},
    answers: { 200: { description: "The key, with its new secret.", schema: createdApiKeySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { expireTime, oldSecretExpireTime } = parseFields(requestSchema, body);
    const rotation = {
      expireTime: expireTime == null ? undefined : epochMs(expireTime),
      oldSecretExpireTime: oldSecretExpireTime == null ? undefined : epochMs(oldSecretExpireTime),
    };
    const { key, secret } = await accounts.keys.rotate(params["apiKeyId"] ?? "", rotation, toActor(manager));
    ctx.body = presentCreatedKey(key, secret);
  },
});
