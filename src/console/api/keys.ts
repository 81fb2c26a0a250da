/** API keys of a team. */
import type { z } from "zod";
import type { createdApiKeySchema, listedApiKeySchema } from "../../http/management/keys/present-key.js";
import type { settingRequests } from "../../http/management/keys/setting-fields.js";
import type { usageSchema } from "../../http/management/billing/usage.js";
import { get, request } from "../lib/client.js";
import { ticksOfNumber } from "../lib/money.js";
import type { Page } from "../lib/resource.js";

export type ApiKey = z.infer<typeof listedApiKeySchema>;
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** What can be set of a key; a field that is null is cleared. */
export type KeyChange = z.input<z.ZodObject<typeof settingRequests>>;

const keysPerPage = 50;

export async function listKeys(
  teamId: string,
  text: string,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<ApiKey>> {
  const answer = await get<{ apiKeys: readonly ApiKey[]; paginationToken?: string }>(
    `/auth/teams/${teamId}/api-keys`,
    { pageSize: keysPerPage, paginationToken: token, query: text },
    signal,
  );
  return { items: answer.apiKeys, next: answer.paginationToken };
}

export function createKey(teamId: string, settings: KeyChange): Promise<CreatedApiKey> {
  return request("POST", `/auth/teams/${teamId}/api-keys`, { body: settings });
}

export function updateKey(apiKeyId: string, apiKey: KeyChange): Promise<ApiKey> {
  return request("PUT", `/auth/api-keys/${apiKeyId}`, {
    body: { apiKey, fieldMask: Object.keys(apiKey).join() },
  });
}

/** Issues a new secret. @param oldSecretExpireTime RFC 3339: how long the old one stays valid, at most 7 days */
export function rotateKey(apiKeyId: string, oldSecretExpireTime: string): Promise<CreatedApiKey> {
  return request("POST", `/auth/api-keys/${apiKeyId}/rotate`, { body: { oldSecretExpireTime } });
}

/** Most keys of which the spending is asked for at once. */
const spendingKeysMax = 1000;

/**
 * Returns what keys have spent in a time, in ticks; a key that has spent nothing is left out.
 * @param from milliseconds since 1970; `to` likewise
 */
export async function getKeySpending(
  teamId: string,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, bigint>> {
  const analyticsRequest = {
    timeRange: { startTime: utcText(from), endTime: utcText(to), timezone: "UTC" },
    timeUnit: "TIME_UNIT_NONE",
    values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
    groupBy: ["apiKeyId"],
    topMax: spendingKeysMax,
  };
  const { timeSeries } = await request<z.infer<typeof usageSchema>>(
    "POST",
    `/v1/billing/teams/${teamId}/usage`,
    { body: { analyticsRequest }, ...(signal && { signal }) },
  );
  return new Map(
    timeSeries.map(({ group, dataPoints }) => [
      group[0] ?? "",
      ticksOfNumber(dataPoints.reduce((sum, { values }) => sum + (values[0] ?? 0), 0)),
    ]),
  );
}

/** Returns `2026-11-24 00:00:00`. */
function utcText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

export function deleteKey(apiKeyId: string): Promise<unknown> {
  return request("DELETE", `/auth/api-keys/${apiKeyId}`);
}
