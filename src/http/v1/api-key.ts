import { z } from "zod";
import { responseObject, responseArray } from "../../dialects/response-fields.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { timeSchema, timestamp } from "../management/timestamp.js";

const apiKey = responseObject({
  redacted_api_key: z.string(),
  user_id: z.string().describe("The user who created the key."),
  name: z.string(),
  create_time: timeSchema,
  modify_time: timeSchema,
  modified_by: z.string(),
  team_id: z.string(),
  acls: responseArray(z.string()).describe(
    "Endpoints and models that the key may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all.",
  ),
  api_key_id: z.string(),
  team_blocked: z.boolean(),
  api_key_blocked: z.boolean(),
  api_key_disabled: z.boolean(),
}).meta({ id: "ApiKey", description: "A key, without its secret." });

/** GET /v1/api-key: returns the key of the request. Any valid key may call it. */
export function getApiKey({ ctx, principal: { key, team } }: Call): void {
  const body: z.infer<typeof apiKey> = {
    redacted_api_key: key.redacted,
    user_id: key.userId,
    name: key.name,
    create_time: timestamp(key.createTime),
    modify_time: timestamp(key.modifyTime),
    modified_by: key.modifiedBy,
    team_id: key.teamId,
    acls: key.acls,
    api_key_id: key.id,
    team_blocked: team.blocked,
    api_key_blocked: key.blocked,
    api_key_disabled: key.disabled,
  };
  ctx.body = body;
}

export const getApiKeyDocs: RouteDocs = {
  operation: "getApiKey",
  tag: "Keys",
  summary: "Get the key of the request",
  answers: { 200: { description: "The key.", schema: apiKey } },
};
