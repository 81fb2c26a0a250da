import type { Call } from "../route.js";

/** GET /v1/api-key: what the server knows of the key that asks. Any valid key may. */
export function presentApiKey({ ctx, principal: { key, team } }: Call): void {
  ctx.body = {
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
}

/** RFC 3339 with six decimals of a second, as the hosted service writes it. */
function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}
