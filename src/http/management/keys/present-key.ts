/** API keys in answers and requests of the management API. */
import { z } from "zod";
import type { KeyChange } from "../../../accounts/keys/keys.js";
import type { ApiKey } from "../../../accounts/principals/api-key.js";
import { responseObject, responseArray } from "../../../dialects/response-fields.js";
import { timeSchema, timestamp } from "../../../dialects/management/answers.js";
import {
  epochMs,
  booleanField,
  timeField,
  isTrue,
  definedFields,
  stringList,
  wholeNumber,
} from "../../../dialects/management/fields.js";

const limit = (what: string) => z.number().min(1).meta({ type: "integer", description: what });

const fields = {
  redactedApiKey: z.string(),
  userId: z.string().describe("The user who created the key."),
  name: z.string(),
  createTime: timeSchema,
  modifyTime: timeSchema,
  teamId: z.string(),
  apiKeyId: z.string(),
  disabled: z.boolean(),
  expireTime: timeSchema.optional(),
  qps: limit("Requests per second.").optional(),
  qpm: limit("Requests per minute.").optional(),
  tpm: z.string().optional().describe("Tokens per minute: a whole number, as a string."),
  endUserQpm: limit("Requests per minute of each end user.").optional(),
  endUserTpm: z
    .string()
    .optional()
    .describe("Tokens per minute of each end user: a whole number, as a string."),
  blocked: z.literal(true).optional().describe("Present if the operator has blocked the key."),
  ipRanges: responseArray(z.string())
    .optional()
    .describe("IP addresses and CIDR ranges from which the key may be used; absent if it is not restricted."),
  lastUseTime: timeSchema
    .optional()
    .describe("Accurate to a minute and delayed by up to a minute; absent if the key was never used."),
  aclStrings: responseArray(z.string()).describe(
    "Endpoints and models that the key may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all; empty = none.",
  ),
};

export const apiKeySchema = responseObject(fields).meta({
  id: "ManagedApiKey",
  description: "An API key, without its secret.",
});

export const listedApiKeySchema = responseObject({
  ...fields,
  forConsole: z
    .literal(true)
    .optional()
    .describe(
      "An extension. Present if sessions of the console use the key: it has no secret and cannot be rotated.",
    ),
}).meta({ id: "ListedApiKey", description: "An API key in a list, without its secret." });

export const createdApiKeySchema = responseObject({
  ...fields,
  apiKey: z.string().describe("The secret. It is returned only once."),
}).meta({ id: "CreatedApiKey", description: "An API key with its new secret." });

/** Presents a key. */
export function presentKey(key: ApiKey): z.infer<typeof apiKeySchema> {
  return {
    redactedApiKey: key.redacted,
    userId: key.userId,
    name: key.name,
    createTime: timestamp(key.createTime),
    modifyTime: timestamp(key.modifyTime),
    teamId: key.teamId,
    apiKeyId: key.id,
    disabled: key.disabled,
    ...(key.expireTime === null ? {} : { expireTime: timestamp(key.expireTime) }),
    ...(key.qps === null ? {} : { qps: key.qps }),
    ...(key.qpm === null ? {} : { qpm: key.qpm }),
    ...(key.tpm === null ? {} : { tpm: String(key.tpm) }),
    ...(key.endUserQpm === null ? {} : { endUserQpm: key.endUserQpm }),
    ...(key.endUserTpm === null ? {} : { endUserTpm: String(key.endUserTpm) }),
    ...(key.blocked ? { blocked: true } : {}),
    ...(key.ipRanges === null ? {} : { ipRanges: key.ipRanges }),
    ...(key.lastUseTime === null ? {} : { lastUseTime: timestamp(key.lastUseTime) }),
    aclStrings: key.acls,
  };
}

/** Presents a key of a list. @param isForConsole whether sessions of the console use it */
export function presentListedKey(key: ApiKey, isForConsole: boolean): z.infer<typeof listedApiKeySchema> {
  return { ...presentKey(key), ...(isForConsole ? { forConsole: true } : {}) };
}

/** Presents a key with its new secret. */
export function presentCreatedKey(key: ApiKey, secret: string): z.infer<typeof createdApiKeySchema> {
  return { ...presentKey(key), apiKey: secret };
}

/** Fields that can be set when a key is created and later. */
export const settableKeyFields = {
  acls: stringList.nullish().describe("What it may use; none opens nothing."),
  aclStrings: stringList.nullish().describe("Another name of `acls`."),
  qps: wholeNumber("Requests per second.").nullish(),
  qpm: wholeNumber("Requests per minute.").nullish(),
  tpm: wholeNumber("Tokens per minute.").nullish(),
  endUserQpm: wholeNumber("Requests per minute of each end user, whom requests name in `user`.").nullish(),
  endUserTpm: wholeNumber("Tokens per minute of each end user.").nullish(),
  expireTime: timeField.nullish().describe("RFC 3339; never when it is not set."),
  ipRanges: stringList
    .nullish()
    .describe("IP addresses and CIDR ranges that it may be used from; anywhere when there are none."),
};

export const keyChangeSchema = z.object({
  ...settableKeyFields,
  name: z.string().nullish(),
  disabled: booleanField.nullish(),
  blocked: booleanField.nullish(),
});

/** Converts the fields that are set to a change of a key. */
export function toKeyChange(fields: z.infer<typeof keyChangeSchema>): KeyChange {
  return definedFields({
    name: fields.name,
    disabled: fields.disabled == null ? null : isTrue(fields.disabled),
    blocked: fields.blocked == null ? null : isTrue(fields.blocked),
    acls: fields.aclStrings ?? fields.acls,
    expireTime: fields.expireTime == null ? null : epochMs(fields.expireTime),
    // An empty list equals an absent one, as in the JSON encoding of protocol buffers.
    ipRanges: fields.ipRanges?.length === 0 ? null : fields.ipRanges,
    qps: fields.qps == null ? null : Number(fields.qps),
    qpm: fields.qpm == null ? null : Number(fields.qpm),
    tpm: fields.tpm == null ? null : Number(fields.tpm),
    endUserQpm: fields.endUserQpm == null ? null : Number(fields.endUserQpm),
    endUserTpm: fields.endUserTpm == null ? null : Number(fields.endUserTpm),
  });
}

/** The values of fields that are not set. */
export const unsetKey: Required<KeyChange> = {
  name: "",
  disabled: false,
  blocked: false,
  acls: [],
  expireTime: null,
  ipRanges: null,
  qps: null,
  qpm: null,
  tpm: null,
  endUserQpm: null,
  endUserTpm: null,
};
