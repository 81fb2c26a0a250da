/** GET /auth/management-keys/validation: what the server knows of the management key that asks. Any valid one may. */
import { z } from "zod";
import { actorOf } from "../../../accounts/audit/actors.js";
import { shape, shapes } from "../../../dialects/shape.js";
import type { HttpDeps } from "../../deps.js";
import type { ManagementCall } from "../../route.js";
import type { RouteDocs } from "../../route-docs.js";
import { time, timestamp } from "../../management/timestamp.js";

const managementKey = shape({
  apiKeyId: z.string(),
  teamId: z
    .string()
    .optional()
    .describe("The team that it is for; of a key for all teams, the first. `scopeId` tells it better."),
  scope: z.enum(["SCOPE_TEAM", "SCOPE_GLOBAL"]),
  scopeId: z.string().optional().describe("The team; not there for `SCOPE_GLOBAL`."),
  ownerUserId: z.string().describe("The member whose it is; of nobody's key, who made it."),
  createTime: time,
  modifyTime: time,
  expireTime: time.optional(),
  name: z.string(),
  acls: shapes(z.string()).describe("What it may do: `team-token:endpoint:<name>`, `*` for all."),
  redactedApiKey: z.string(),
  ipRanges: shapes(z.string())
    .nullable()
    .describe("IP addresses and CIDR ranges that it may be used from; null where it is anywhere."),
  lastUseTime: time
    .optional()
    .describe("To the minute, of an earlier request; not there when there was none."),
}).meta({ id: "ManagementKey", description: "A management key, without its secret." });

/** Tells. */
export function presentManagementKey({
  accounts,
}: Pick<HttpDeps, "accounts">): (call: ManagementCall) => Promise<void> {
  return async ({ ctx, manager }) => {
    const { key } = manager;
    const teamId = key.teamId ?? (await accounts.teams.list(actorOf(manager)))[0]?.id;
    const body: z.infer<typeof managementKey> = {
      apiKeyId: key.id,
      ...(teamId === undefined ? {} : { teamId }),
      scope: key.teamId === null ? "SCOPE_GLOBAL" : "SCOPE_TEAM",
      ...(key.teamId === null ? {} : { scopeId: key.teamId }),
      ownerUserId: key.userId,
      createTime: timestamp(key.createTime),
      modifyTime: timestamp(key.modifyTime),
      ...(key.expireTime === null ? {} : { expireTime: timestamp(key.expireTime) }),
      name: key.name,
      acls: key.acls,
      redactedApiKey: key.redacted,
      ipRanges: key.ipRanges,
      ...(key.lastUseTime === null ? {} : { lastUseTime: timestamp(key.lastUseTime) }),
    };
    ctx.body = body;
  };
}

export const managementKeyDocs: RouteDocs = {
  operation: "validateManagementKey",
  tag: "Accounts",
  summary: "Tell of the management key that asks",
  answers: { 200: { description: "The key.", schema: managementKey } },
};
