/** Management keys, which commands of the operator alone create, list and remove. */
import { z } from "zod";
import type { ManagementKey } from "../../../accounts/principals/management-key.js";
import { toActor } from "../../../accounts/visibility.js";
import { timestamp } from "../../../dialects/management/answers.js";
import { epochMs, parseFields, stringList, timeField } from "../../../dialects/management/fields.js";
import type { OperatorRoute } from "../../server/route.js";

const requestSchema = z.object({
  name: z.string(),
  teamId: z.string().nullish(),
  memberId: z.string().nullish(),
  acls: stringList.nullish(),
  expireTime: timeField.nullish(),
  ipRanges: stringList.nullish(),
});

export const createManagementKey: OperatorRoute = {
  method: "POST",
  path: "/operator/management-keys",
  async handle({ ctx, manager, body }, { accounts }) {
    const { name, teamId, acls, expireTime, ...fields } = parseFields(requestSchema, body);
    const request = {
      ...fields,
      name,
      teamId: teamId ?? null,
      acls: acls ?? undefined,
      expireTime: expireTime == null ? null : epochMs(expireTime),
    };
    const { key, secret } = await accounts.managementKeys.create(request, toActor(manager));
    ctx.body = { ...present(key), apiKey: secret };
  },
};

export const listManagementKeys: OperatorRoute = {
  method: "GET",
  path: "/operator/management-keys",
  async handle({ ctx }, { accounts }) {
    ctx.body = { managementKeys: (await accounts.managementKeys.list()).map(present) };
  },
};

const querySchema = z.object({ reference: z.string() });

/** Removes the key of an id, the start of one, or a redacted form. */
export const deleteManagementKey: OperatorRoute = {
  method: "DELETE",
  path: "/operator/management-keys",
  async handle({ ctx, manager }, { accounts }) {
    const { reference } = parseFields(querySchema, ctx.query);
    ctx.body = present(await accounts.managementKeys.remove(reference, toActor(manager)));
  },
};

export type OperatorManagementKey = ReturnType<typeof present>;

/** The fields with which the management API describes the key of a request. */
function present(key: ManagementKey) {
  return {
    apiKeyId: key.id,
    name: key.name,
    redactedApiKey: key.redacted,
    scopeId: key.teamId ?? undefined,
    scope: key.teamId === null ? "SCOPE_GLOBAL" : "SCOPE_TEAM",
    ownerUserId: key.userId,
    createTime: timestamp(key.createTime),
    expireTime: timestamp(key.expireTime),
    lastUseTime: timestamp(key.lastUseTime),
    acls: key.acls,
    ipRanges: key.ipRanges,
  };
}
