/** PUT and DELETE /auth/api-keys/{apiKeyId}: updates or deletes an API key. */
import { z } from "zod";
import { toActor } from "../../../accounts/visibility.js";
import { unsetSettings } from "../../../accounts/keys/setting-rules.js";
import { apiKeySchema, presentKey } from "./present-key.js";
import { settingRequests, toKeyChange } from "./setting-fields.js";
import { applyFieldMask, fieldMaskField } from "../../../dialects/management/field-mask.js";
import { parseFields } from "../../../dialects/management/fields.js";
import { emptySchema } from "../../../dialects/management/answers.js";
import { accountRoute } from "../../server/route.js";
import { settingEntries, type SettingName } from "../../../accounts/keys/key-settings.js";

/** The other names of settings in requests. */
const settingAliases: Readonly<Record<string, SettingName>> = Object.fromEntries(
  settingEntries.flatMap(([name, { wire }]) => (wire === undefined ? [] : [[wire, name]])),
);

const requestSchema = z
  .object({
    apiKey: z.object(settingRequests).nullish(),
    fieldMask: fieldMaskField,
  })
  .meta({
    id: "UpdateApiKeyRequest",
    description: "The fields to change; without a mask, the fields that are set.",
  });

const params = { apiKeyId: "Id of an API key." };

/** Updates a key. */
export const updateApiKey = accountRoute({
  method: "PUT",
  path: "/auth/api-keys/:apiKeyId",
  acl: "UpdateApiKey",
  docs: {
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
  },
  async handle({ ctx, manager, body, params }, { accounts }) {
    const { apiKey, fieldMask } = parseFields(requestSchema, body);
    const change = applyFieldMask(toKeyChange(apiKey ?? {}), unsetSettings, fieldMask, settingAliases);
    ctx.body = presentKey(await accounts.keys.update(params["apiKeyId"] ?? "", change, toActor(manager)));
  },
});

/** Deletes a key. */
export const deleteApiKey = accountRoute({
  method: "DELETE",
  path: "/auth/api-keys/:apiKeyId",
  acl: "DeleteApiKey",
  docs: {
    operation: "deleteApiKey",
    tag: "Accounts",
    summary: "Delete an API key",
    params,
    answers: { 200: { description: "The key is deleted.", schema: emptySchema } },
    errors: ["conflict"],
  },
  async handle({ ctx, manager, params }, { accounts }) {
    await accounts.keys.remove(params["apiKeyId"] ?? "", toActor(manager));
    ctx.body = {};
  },
});
