/** GET /auth/management-keys/validation: returns the management key of the request. Any valid management key may call it. */
import { z } from "zod";
import { toActor } from "../../accounts/visibility.js";
import { responseArray, responseObject } from "../../dialects/response-fields.js";
import { managementRoute } from "../server/route.js";
import { timeSchema, timestamp } from "../../dialects/management/answers.js";

const managementKey = responseObject({
  apiKeyId: z.string(),
  teamId: z
    .string()
    .optional()
    .describe("The team of the key; for a key for all teams, the first team. Prefer `scopeId`."),
  scope: z.enum(["SCOPE_TEAM", "SCOPE_GLOBAL"]),
  scopeId: z.string().optional().describe("The team; absent for `SCOPE_GLOBAL`."),
  ownerUserId: z
    .string()
    .describe("The member who owns the key; for a key without an owner, the user who created it."),
  createTime: timeSchema,
  modifyTime: timeSchema,
  expireTime: timeSchema.optional(),
  name: z.string(),
  acls: responseArray(z.string()).describe(
    "Endpoints that the key may use: `team-token:endpoint:<name>`, `*` for all.",
  ),
  redactedApiKey: z.string(),
  ipRanges: responseArray(z.string())
    .nullable()
    .describe("IP addresses and CIDR ranges from which the key may be used; null if it is not restricted."),
  lastUseTime: timeSchema
    .optional()
    .describe("Time of an earlier request, accurate to a minute; absent if there was none."),
}).meta({ id: "ManagementKey", description: "A management key, without its secret." });

/** Returns the key, without its secret. */
export const getManagementKey = managementRoute({
  method: "GET",
  path: "/auth/management-keys/validation",
  acl: null,
  docs: {
    operation: "validateManagementKey",
    tag: "Accounts",
    summary: "Get the management key of the request",
    answers: { 200: { description: "The key.", schema: managementKey } },
  },
  async handle({ ctx, manager }, { accounts }) {
    const { key } = manager;
    const teamId = key.teamId ?? (await accounts.teams.list(toActor(manager)))[0]?.id;
    const body: z.infer<typeof managementKey> = {
      apiKeyId: key.id,
      teamId,
      scope: key.teamId === null ? "SCOPE_GLOBAL" : "SCOPE_TEAM",
      scopeId: key.teamId ?? undefined,
      ownerUserId: key.userId,
      createTime: timestamp(key.createTime),
      modifyTime: timestamp(key.modifyTime),
      expireTime: timestamp(key.expireTime),
      name: key.name,
      acls: key.acls,
      redactedApiKey: key.redacted,
      ipRanges: key.ipRanges,
      lastUseTime: timestamp(key.lastUseTime),
    };
    ctx.body = body;
  },
});
