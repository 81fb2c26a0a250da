/** Budgets of a team, its members, keys, tags and end users. */
import type { WireBudget } from "../../http/management/billing/present-budget.js";
import type { WireListedKey } from "../../http/management/keys/present-key.js";
import type { WireMember } from "../../http/server/present-member.js";
import { get, send } from "../lib/client.js";
import { getPage } from "../lib/resource.js";

/** Limits as they are typed; null or empty means none. */
export type TypedLimits = Readonly<
  Record<"hardUsd" | "softUsd" | "hardTokens" | "softTokens", string | null>
>;

/** What a budget is of, for which time; without a subject, of the team. */
export type BudgetKey = Pick<WireBudget, "period" | "apiKeyId" | "memberId" | "tag" | "endUser">;

/** Who can have a budget of their own. */
export interface BudgetSubjects {
  readonly keys: readonly (readonly [id: string, name: string])[];
  readonly members: readonly (readonly [id: string, name: string])[];
  /** Whether there are more keys or members than these. */
  readonly isPart: boolean;
}

/** The addresses of requests are bounded. */
const keysPerQuery = 50;

/** Most keys, and members, of which the console offers a choice. */
const subjectsMax = 1000;

/** Returns the budgets of some keys; they have at most four each. */
export async function listKeyBudgets(
  teamId: string,
  apiKeyIds: readonly string[],
  signal?: AbortSignal,
): Promise<readonly WireBudget[]> {
  const lists: WireBudget[] = [];
  for (let at = 0; at < apiKeyIds.length; at += keysPerQuery) {
    const ids = apiKeyIds.slice(at, at + keysPerQuery).join();
    const path = `/auth/teams/${teamId}/budgets`;
    const { budgets } = await get<{ budgets: readonly WireBudget[] }>(path, { apiKeyIds: ids }, signal);
    lists.push(...budgets);
  }
  return lists;
}

/** Sets all limits of a budget; without any, it is removed. */
export function setBudget(
  teamId: string,
  { apiKeyId, memberId, tag, endUser, period }: BudgetKey,
  limits: TypedLimits,
): Promise<unknown> {
  const given = Object.entries(limits).filter(([, limit]) => limit !== null && limit !== "");
  const budget = Object.fromEntries(given);
  const fieldMask = Object.keys(limits).join();
  const named = { apiKeyId, memberId, tag, endUser, period };
  return send("PUT", `/auth/teams/${teamId}/budgets`, { ...named, budget, fieldMask });
}

/** Returns the keys and members of a team by name. */
export async function listBudgetSubjects(teamId: string, signal?: AbortSignal): Promise<BudgetSubjects> {
  const path = `/auth/teams/${teamId}`;
  const query = { pageSize: subjectsMax };
  const [keys, members] = await Promise.all([
    getPage<WireListedKey>(`${path}/api-keys`, "apiKeys", query, undefined, signal),
    getPage<WireMember>(`${path}/members`, "members", query, undefined, signal),
  ]);
  return {
    keys: keys.items.map(({ apiKeyId, name, redactedApiKey }) => [apiKeyId, `${name} (${redactedApiKey})`]),
    members: members.items.map(({ memberId, email }) => [memberId, email]),
    isPart: keys.next !== undefined || members.next !== undefined,
  };
}
