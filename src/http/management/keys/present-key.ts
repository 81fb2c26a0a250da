/** API keys in answers of the management API. */
import { z } from "zod";
import type { ApiKey } from "../../../accounts/principals/api-key.js";
import { responseObject } from "../../../dialects/response-fields.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";
import { presentSettings, settingAnswers } from "./setting-fields.js";

const fields = {
  redactedApiKey: z.string(),
  userId: z.string().describe("The user who created the key."),
  createTime: timeSchema,
  modifyTime: timeSchema,
  teamId: z.string(),
  apiKeyId: z.string(),
  ...settingAnswers,
  lastUseTime: timeSchema
    .optional()
    .describe("Accurate to a minute and delayed by up to a minute; absent if the key was never used."),
};

export const apiKeySchema = responseObject(fields).meta({
  id: "ManagedApiKey",
  description: "An API key, without its secret.",
});

export type WireKey = z.infer<typeof apiKeySchema>;

export const listedApiKeySchema = responseObject({
  ...fields,
  forConsole: z
    .literal(true)
    .optional()
    .describe(
      "An extension. Present if sessions of the console use the key: it has no secret and cannot be rotated.",
    ),
}).meta({ id: "ListedApiKey", description: "An API key in a list, without its secret." });

export type WireListedKey = z.infer<typeof listedApiKeySchema>;

export const createdApiKeySchema = responseObject({
  ...fields,
  apiKey: z.string().describe("The secret. It is returned only once."),
}).meta({ id: "CreatedApiKey", description: "An API key with its new secret." });

export type WireCreatedKey = z.infer<typeof createdApiKeySchema>;

/** Presents a key. */
export function presentKey(key: ApiKey): WireKey {
  return {
    redactedApiKey: key.redacted,
    userId: key.userId,
    createTime: timestamp(key.createTime),
    modifyTime: timestamp(key.modifyTime),
    teamId: key.teamId,
    apiKeyId: key.id,
    ...presentSettings(key),
    lastUseTime: timestamp(key.lastUseTime),
  };
}

/** Presents a key of a list. @param isForConsole whether sessions of the console use it */
export function presentListedKey(key: ApiKey, isForConsole: boolean): WireListedKey {
  return { ...presentKey(key), forConsole: isForConsole || undefined };
}

/** Presents a key with its new secret. */
export function presentCreatedKey(key: ApiKey, secret: string): WireCreatedKey {
  return { ...presentKey(key), apiKey: secret };
}
