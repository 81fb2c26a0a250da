/** POST /auth/api-keys/{apiKeyId}/rotate: gives a key a new secret; the old one opens for a while still. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { authoriseManager } from "../../../accounts/management-keys/permissions.js";
import type { HttpDeps } from "../../deps.js";
import { createdApiKeySchema, presentCreatedKey } from "../../management/api-key.js";
import { epochMs, instant, read, set } from "../../management/fields.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";

const rotationSchema = z
  .object({
    expireTime: instant.nullish().describe("When the key is to expire; left out, that stays as it is."),
    oldSecretExpireTime: instant
      .nullish()
      .describe("Until when the old secret opens: at most 7 days from now, 24 hours when it is left out."),
  })
  .meta({ id: "ApiKeyRotation" });

/** Rotates a key. */
export function rotateKey({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params, route }) => {
    const { expireTime, oldSecretExpireTime } = read(rotationSchema, body);
    authoriseManager(manager, route.endpointAcl);
    const rotation = set({
      expireTime: expireTime == null ? null : epochMs(expireTime),
      oldSecretExpireTime: oldSecretExpireTime == null ? null : epochMs(oldSecretExpireTime),
    });
    const { key, secret } = await accounts.keys.rotate(params["apiKeyId"] ?? "", rotation, actorOf(manager));
    ctx.body = presentCreatedKey(key, secret);
  };
}

export const rotateKeyDocs: RouteDocs = {
  operation: "rotateApiKey",
  tag: "Accounts",
  summary: "Give an API key a new secret",
  description: "The secret before the last rotation opens nothing from now on.",
  params: { apiKeyId: "Id of an API key." },
  body: rotationSchema,
  example: {},
  answers: { 200: { description: "The key, with its new secret.", schema: createdApiKeySchema } },
  errors: ["conflict"],
};
