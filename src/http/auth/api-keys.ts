/** PUT and DELETE /auth/api-keys/{apiKeyId}: changes a key, or removes it for good. */
import { z } from "zod";
import { actorOf } from "../../accounts/audit/actors.js";
import type { KeyChange } from "../../accounts/keys/keys.js";
import { authoriseManager } from "../../accounts/management-keys/permissions.js";
import type { HttpDeps } from "../deps.js";
import { apiKeySchema, changeableKey, clearedKey, keyFields, presentKey } from "../management/api-key.js";
import { masked } from "../management/field-mask.js";
import { read } from "../management/fields.js";
import { nothing } from "../management/nothing.js";
import type { ManagementCall } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

const changeSchema = z
  .object({
    apiKey: changeableKey.nullish(),
    fieldMask: z
      .string()
      .nullish()
      .describe(
        "Names of fields, with commas between them: what is to change. A field that is not set is cleared.",
      ),
  })
  .meta({
    id: "ApiKeyChange",
    description: "What of a key is to change; without a mask, the fields that are set.",
  });

/** Changes a key. */
export function updateKey({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, body, params, route }) => {
    const { apiKey, fieldMask } = read(changeSchema, body);
    const given = keyFields(apiKey ?? {});
    const change: KeyChange = masked(given, clearedKey, fieldMask, { aclStrings: "acls" });
    authoriseManager(manager, route.endpointAcl);
    ctx.body = presentKey(await accounts.keys.update(params["apiKeyId"] ?? "", change, actorOf(manager)));
  };
}

/** Removes a key. */
export function deleteKey({ accounts }: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager, params, route }) => {
    authoriseManager(manager, route.endpointAcl);
    await accounts.keys.remove(params["apiKeyId"] ?? "", actorOf(manager));
    ctx.body = {};
  };
}

const params = { apiKeyId: "Id of an API key." };

export const updateKeyDocs: RouteDocs = {
  operation: "updateApiKey",
  tag: "Accounts",
  summary: "Change an API key",
  description:
    "The next request with the key finds it changed. A management key that is for one team does not block or unblock it.",
  params,
  body: changeSchema,
  example: { apiKey: { tpm: "42" }, fieldMask: "tpm" },
  answers: { 200: { description: "The key.", schema: apiKeySchema } },
  errors: ["conflict"],
};

export const deleteKeyDocs: RouteDocs = {
  operation: "deleteApiKey",
  tag: "Accounts",
  summary: "Remove an API key for good",
  params,
  answers: { 200: { description: "It is gone.", schema: nothing } },
  errors: ["conflict"],
};
