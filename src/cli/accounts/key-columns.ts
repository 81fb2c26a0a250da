/** Formats API keys as text, as tables, and as JSON. */
import type { OperatorKey } from "../../http/management/operator/keys.js";
import type { TableColumn } from "../table.js";
import { formatAge, formatLastUse, shortId } from "../command-helpers.js";

/** A key with its team and its new secret. */
export interface KeyWithSecret extends OperatorKey {
  readonly apiKey: string;
}

export function createdToText({ name, apiKeyId, teamName, apiKey }: KeyWithSecret): string {
  return (
    `API key "${name}" of team "${teamName}", ID ${shortId(apiKeyId)}:\n\n  ${apiKey}\n\n` +
    "Store it in a safe place: it is not shown again.\n"
  );
}

/** @param until when the old secret expires, unless the key expires before */
export function rotatedToText(created: KeyWithSecret, until: string): string {
  const { expireTime = until } = created;
  const earlier = Date.parse(expireTime) < Date.parse(until) ? expireTime : until;
  return `${createdToText(created)}The old secret is valid until ${earlier}.\n`;
}

/** @param now milliseconds since the epoch; determines whether the key has expired. */
export function keyToJson({ teamBlocked, ...key }: OperatorKey, now: number) {
  return { ...key, status: describeState({ teamBlocked, ...key }, now), blocked: key.blocked ?? false };
}

export function createdToJson({ apiKey, ...created }: KeyWithSecret, now: number) {
  return { ...keyToJson(created, now), apiKey };
}

export function listKeyColumns(now: number): readonly TableColumn<OperatorKey>[] {
  return [
    { title: "NAME", cell: ({ name }) => name, charsMin: 12 },
    { title: "ID", cell: ({ apiKeyId }) => apiKeyId, kind: "id" },
    { title: "KEY", cell: ({ redactedApiKey }) => redactedApiKey, leftOut: 1 },
    { title: "TEAM", cell: ({ teamName }) => teamName, charsMin: 8 },
    { title: "CREATED", cell: ({ createTime }) => formatAge(createTime, now), leftOut: 2 },
    { title: "LAST USED", cell: ({ lastUseTime }) => formatLastUse(lastUseTime, now) },
    { title: "STATE", cell: (key) => describeState(key, now) },
  ];
}

function describeState({ teamBlocked, blocked, disabled, expireTime }: OperatorKey, now: number): string {
  if (teamBlocked) return "team blocked";
  if (blocked === true) return "blocked";
  if (disabled) return "disabled";
  return expireTime !== undefined && Date.parse(expireTime) <= now ? "expired" : "active";
}
