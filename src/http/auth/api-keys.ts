/** PUT and DELETE /auth/api-keys/{apiKeyId}: updates or deletes an API key. */
import { z } from "zod";
import { actorOf } from "../../accounts/visibility.js";
import type { KeyChange } from "../../accounts/keys/keys.js";
import type { HttpDeps } from "../deps.js";
import { apiKeySchema, keyChangeSchema, unsetKey, toKeyChange, presentKey } from "../management/api-key.js";
import { applyFieldMask, fieldMaskField } from "../management/field-mask.js";
import { parseFields } from "../management/fields.js";
import { emptySchema } from "../management/nothing.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

const requestSchema = z
  .object({
    apiKey: keyChangeSchema.nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateApiKeyRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

/** Updates a key. */
export function updateApiKey({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params }) => {
    const { apiKey, fieldMask } = parseFields(requestSchema, body);
    const fields = toKeyChange(apiKey ?? {});
    const change: KeyChange = applyFieldMask(fields, unsetKey, fieldMask, { aclStrings: "acls" });
    ctx.body = presentKey(await accounts.keys.update(params["apiKeyId"] ?? "", change, actorOf(manager)));
  };
}

/** Deletes a key. */
export function deleteApiKey({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params }) => {
    await accounts.keys.remove(params["apiKeyId"] ?? "", actorOf(manager));
    ctx.body = {};
  };
}

const params = { apiKeyId: "Id of an API key." };

export const updateApiKeyDocs: RouteDocs = {
  operation: "updateApiKey",
  tag: "Accounts",
  summary: "Update an API key",
  description:
    "Takes effect with the next request of the key. A management key for one team cannot block or unblock it.",
  params,
  body: requestSchema,
  example: { apiKey: { tpm: "42" }, fieldMask: "tpm" },
  answers: { 200: { description: "The key.", schema: apiKeySchema } },
  errors: ["conflict"],
};

export const deleteApiKeyDocs: RouteDocs = {
  operation: "deleteApiKey",
  tag: "Accounts",
  summary: "Delete an API key",
  params,
  answers: { 200: { description: "The key is deleted.", schema: emptySchema } },
  errors: ["conflict"],
};
