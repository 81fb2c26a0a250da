/** API keys of a team. */
import type { z } from "zod";
import type { apiKeySchema, createdApiKeySchema } from "../../http/management/api-key.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type ApiKey = z.infer<typeof apiKeySchema>;
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** What can be set of a key; a field that is null is cleared. */
export interface KeySettings {
  readonly name: string;
  readonly acls: readonly string[];
  readonly qps: number | null;
  readonly qpm: number | null;
  readonly tpm: number | null;
  /** RFC 3339. */
  readonly expireTime: string | null;
  readonly ipRanges: readonly string[];
}

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

export function createKey(teamId: string, settings: KeySettings): Promise<CreatedApiKey> {
  return request("POST", `/auth/teams/${teamId}/api-keys`, { body: settings });
}

export function updateKey(
  apiKeyId: string,
  apiKey: Partial<KeySettings & { readonly disabled: boolean }>,
): Promise<ApiKey> {
  return request("PUT", `/auth/api-keys/${apiKeyId}`, {
    body: { apiKey, fieldMask: Object.keys(apiKey).join() },
  });
}

/** Issues a new secret. @param oldSecretExpireTime RFC 3339: how long the old one stays valid, at most 7 days */
export function rotateKey(apiKeyId: string, oldSecretExpireTime: string): Promise<CreatedApiKey> {
  return request("POST", `/auth/api-keys/${apiKeyId}/rotate`, { body: { oldSecretExpireTime } });
}

export function deleteKey(apiKeyId: string): Promise<unknown> {
  return request("DELETE", `/auth/api-keys/${apiKeyId}`);
}
