import { z } from "zod";
import { shape, shapes } from "../../dialects/shape.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";
import { time, timestamp } from "../management/timestamp.js";

const apiKey = shape({
  redacted_api_key: z.string(),
  user_id: z.string().describe("Who made it."),
  name: z.string(),
  create_time: time,
  modify_time: time,
  modified_by: z.string(),
  team_id: z.string(),
  acls: shapes(z.string()).describe(
    "What it may use: `api-key:endpoint:<name>`, `api-key:model:<name>`, `*` for all.",
  ),
  api_key_id: z.string(),
  team_blocked: z.boolean(),
  api_key_blocked: z.boolean(),
  api_key_disabled: z.boolean(),
}).meta({ id: "ApiKey", description: "A key, without its secret." });

/** GET /v1/api-key: what the server knows of the key that asks. Any valid key may. */
export function presentApiKey({ ctx, principal: { key, team } }: Call): void {
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

export const apiKeyDocs: RouteDocs = {
  operation: "getApiKey",
  tag: "Keys",
  summary: "Tell of the key that asks",
  answers: { 200: { description: "The key.", schema: apiKey } },
};
