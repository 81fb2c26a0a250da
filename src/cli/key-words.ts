/** How API keys are printed: lines, tables, and JSON with the fields of the management API, so that a script can read both. */
import type { CreatedKey } from "../accounts/keys.js";
import type { ApiKey, Principal } from "../core/api-key.js";
import { ago } from "./span.js";
import { formatTable } from "./table.js";
import { shortId } from "./using-accounts.js";

export function createdToText({ key, team, secret }: CreatedKey): string {
  return (
    `API key "${key.name}" of team "${team.name}", ID ${shortId(key.id)}:\n\n  ${secret}\n\n` +
    "Keep it in a safe place: it is not shown again.\n"
  );
}

export function rotatedToText(created: CreatedKey): string {
  const until = created.key.previousExpireTime;
  const old = until === null ? "" : `The old secret opens until ${new Date(until).toISOString()}.\n`;
  return `${createdToText(created)}${old}`;
}

export function keyToLine(key: ApiKey): string {
  return `${key.id}\n`;
}

export function keyToJson({ key, team }: Principal) {
  return {
    apiKeyId: key.id,
    name: key.name,
    redactedApiKey: key.redacted,
    teamId: team.id,
    teamName: team.name,
    userId: key.userId,
    createTime: new Date(key.createTime).toISOString(),
    modifyTime: new Date(key.modifyTime).toISOString(),
    ...(key.expireTime === null ? {} : { expireTime: new Date(key.expireTime).toISOString() }),
    disabled: key.disabled,
    blocked: key.blocked,
    ...(key.qps === null ? {} : { qps: key.qps }),
    ...(key.qpm === null ? {} : { qpm: key.qpm }),
    ...(key.tpm === null ? {} : { tpm: String(key.tpm) }),
    aclStrings: key.acls,
  };
}

export function createdToJson({ secret, ...created }: CreatedKey) {
  return { ...keyToJson(created), apiKey: secret };
}

export function keysToTable(all: readonly Principal[], now: number): string {
  const head = ["NAME", "ID", "KEY", "TEAM", "CREATED", "STATE"];
  const rows = all.map(({ key, team }) => [
    key.name,
    shortId(key.id),
    key.redacted,
    team.name,
    ago(now - key.createTime),
    stateOf(key, team.blocked, now),
  ]);
  return formatTable(head, rows);
}

function stateOf(key: ApiKey, teamBlocked: boolean, now: number): string {
  if (teamBlocked) return "team blocked";
  if (key.blocked) return "blocked";
  if (key.disabled) return "disabled";
  return key.expireTime !== null && key.expireTime <= now ? "expired" : "active";
}
