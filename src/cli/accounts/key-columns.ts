/** Formats API keys as lines, as tables, and as JSON with the fields of the management API. */
import type { CreatedKey } from "../../accounts/keys/keys.js";
import type { ApiKey, Principal } from "../../accounts/principals/api-key.js";
import { ago } from "../duration.js";
import { formatTable } from "../table.js";
import { formatLastUse, shortId } from "../command-helpers.js";

export function createdToText({ key, team, secret }: CreatedKey): string {
  return (
    `API key "${key.name}" of team "${team.name}", ID ${shortId(key.id)}:\n\n  ${secret}\n\n` +
    "Store it in a safe place: it is not shown again.\n"
  );
}

export function rotatedToText(created: CreatedKey): string {
  const until = created.key.previousExpireTime;
  const note = until === null ? "" : `The old secret is valid until ${new Date(until).toISOString()}.\n`;
  return `${createdToText(created)}${note}`;
}

export function keyToLine(key: ApiKey): string {
  return `${key.id}\n`;
}

/** @param now milliseconds since the epoch; determines whether the key has expired. */
export function keyToJson({ key, team }: Principal, now: number) {
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
    ...(key.lastUseTime === null ? {} : { lastUseTime: new Date(key.lastUseTime).toISOString() }),
    status: describeState(key, team.blocked, now),
    disabled: key.disabled,
    blocked: key.blocked,
    ...(key.qps === null ? {} : { qps: key.qps }),
    ...(key.qpm === null ? {} : { qpm: key.qpm }),
    ...(key.tpm === null ? {} : { tpm: String(key.tpm) }),
    ...(key.endUserQpm === null ? {} : { endUserQpm: key.endUserQpm }),
    ...(key.endUserTpm === null ? {} : { endUserTpm: String(key.endUserTpm) }),
    ...(key.ipRanges === null ? {} : { ipRanges: key.ipRanges }),
    aclStrings: key.acls,
  };
}

export function createdToJson({ secret, ...created }: CreatedKey, now: number) {
  return { ...keyToJson(created, now), apiKey: secret };
}

export function keysToTable(all: readonly Principal[], now: number): string {
  const header = ["NAME", "ID", "KEY", "TEAM", "CREATED", "LAST USED", "STATE"];
  const rows = all.map(({ key, team }) => [
    key.name,
    shortId(key.id),
    key.redacted,
    team.name,
    ago(now - key.createTime),
    formatLastUse(key, now),
    describeState(key, team.blocked, now),
  ]);
  return formatTable(header, rows);
}

function describeState(key: ApiKey, teamBlocked: boolean, now: number): string {
  if (teamBlocked) return "team blocked";
  if (key.blocked) return "blocked";
  if (key.disabled) return "disabled";
  return key.expireTime !== null && key.expireTime <= now ? "expired" : "active";
}
