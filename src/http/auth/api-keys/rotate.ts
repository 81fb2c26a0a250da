/** POST /auth/api-keys/{apiKeyId}/rotate: gives a key a new secret; the old secret stays valid for a while. */
import { z } from "zod";
import { actorOf } from "../../../accounts/visibility.js";
import type { HttpDeps } from "../../deps.js";
import { createdApiKeySchema, presentCreatedKey } from "../../management/api-key.js";
import { epochMs, timeField, parseFields, definedFields } from "../../management/fields.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const requestSchema = z
  .object({
    expireTime: timeField.nullish().describe("New expiry time of the key; absent = unchanged."),
    oldSecretExpireTime: timeField
      .nullish()
      .describe("When the old secret expires: at most 7 days from now; the default is 24 hours."),
  })
  .meta({ id: "RotateApiKeyRequest" });

/** Rotates a key. */
export function rotateApiKey({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params }) => {
    const { expireTime, oldSecretExpireTime } = parseFields(requestSchema, body);
    const rotation = definedFields({
      expireTime: expireTime == null ? null : epochMs(expireTime),
      oldSecretExpireTime: oldSecretExpireTime == null ? null : epochMs(oldSecretExpireTime),
    });
    const { key, secret } = await accounts.keys.rotate(params["apiKeyId"] ?? "", rotation, actorOf(manager));
    ctx.body = presentCreatedKey(key, secret);
  };
}

export const rotateApiKeyDocs: RouteDocs = {
  operation: "rotateApiKey",
  tag: "Accounts",
  summary: "Give an API key a new secret",
  description: "A secret that an earlier rotation replaced expires immediately.",
  params: { apiKeyId: "Id of an API key." },
  body: requestSchema,
  example: {},
  answers: { 200: { description: "The key, with its new secret.", schema: createdApiKeySchema } },
  errors: ["conflict"],
};
