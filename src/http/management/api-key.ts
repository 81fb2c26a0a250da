/** An API key as the management plane tells it, and as it is wished for. */
import { z } from "zod";
import type { KeyChange } from "../../accounts/keys/keys.js";
import type { ApiKey } from "../../accounts/keys/api-key.js";
import { shape, shapes } from "../../dialects/shape.js";
import { time, timestamp } from "./timestamp.js";
import { epochMs, flag, instant, isTrue, set, texts, whole } from "./fields.js";

const limit = (what: string) => z.number().min(1).meta({ type: "integer", description: what });

const fields = {
  redactedApiKey: z.string(),
  userId: z.string().describe("Who made it."),
  name: z.string(),
  createTime: time,
  modifyTime: time,
  teamId: z.string(),
  apiKeyId: z.string(),
  disabled: z.boolean(),
  expireTime: time.optional(),
  qps: limit("Requests per second.").optional(),
  qpm: limit("Requests per minute.").optional(),
  tpm: z.string().optional().describe("Tokens per minute: a whole number, as a text."),
  blocked: z.literal(true).optional().describe("There when the operator has blocked it."),
  ipRanges: shapes(z.string())
    .optional()
    .describe("IP addresses and CIDR ranges that it may be used from; not there where it is anywhere."),
  lastUseTime: time
    .optional()
    .describe("To the minute, and told within a minute; not there when it never was."),
  aclStrings: shapes(z.string()).describe(
    "What it may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all; without any, nothing.",
  ),
};

export const apiKeySchema = shape(fields).meta({
  id: "ManagedApiKey",
  description: "An API key, as the management plane tells it.",
});

export const createdApiKeySchema = shape({
  ...fields,
  apiKey: z.string().describe("The secret. It is told this once."),
}).meta({ id: "CreatedApiKey", description: "An API key with the secret that it has just got." });

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
    ...(key.blocked ? { blocked: true } : {}),
    ...(key.ipRanges === null ? {} : { ipRanges: key.ipRanges }),
    ...(key.lastUseTime === null ? {} : { lastUseTime: timestamp(key.lastUseTime) }),
    aclStrings: key.acls,
  };
}

/** The same with its new secret. */
export function presentCreatedKey(key: ApiKey, secret: string): z.infer<typeof createdApiKeySchema> {
  return { ...presentKey(key), apiKey: secret };
}

/** What of a key can be set, when it is made and later. */
export const settableFields = {
  acls: texts.nullish().describe("What it may use; none opens nothing."),
  aclStrings: texts.nullish().describe("Another name of `acls`."),
  qps: whole("Requests per second.").nullish(),
  qpm: whole("Requests per minute.").nullish(),
  tpm: whole("Tokens per minute.").nullish(),
  expireTime: instant.nullish().describe("RFC 3339; never when it is not set."),
  ipRanges: texts
    .nullish()
    .describe("IP addresses and CIDR ranges that it may be used from; anywhere when there are none."),
};

export const changeableKey = z.object({
  ...settableFields,
  name: z.string().nullish(),
  disabled: flag.nullish(),
  blocked: flag.nullish(),
});

/** What is set, in the accounts' own terms. */
export function keyFields(wish: z.infer<typeof changeableKey>): KeyChange {
  return set({
    name: wish.name,
    disabled: wish.disabled == null ? null : isTrue(wish.disabled),
    blocked: wish.blocked == null ? null : isTrue(wish.blocked),
    acls: wish.aclStrings ?? wish.acls,
    expireTime: wish.expireTime == null ? null : epochMs(wish.expireTime),
    // An empty list is the same as none, as in all JSON of protocol buffers.
    ipRanges: wish.ipRanges?.length === 0 ? null : wish.ipRanges,
    qps: wish.qps == null ? null : Number(wish.qps),
    qpm: wish.qpm == null ? null : Number(wish.qpm),
    tpm: wish.tpm == null ? null : Number(wish.tpm),
  });
}

/** What is not set. */
export const clearedKey: Required<KeyChange> = {
  name: "",
  disabled: false,
  blocked: false,
  acls: [],
  expireTime: null,
  ipRanges: null,
  qps: null,
  qpm: null,
  tpm: null,
};
