/** Budgets of a team, its members, keys, tags and end users. */
import type { z } from "zod";
import type { apiKeySchema } from "../../http/management/keys/present-key.js";
import type { budgetSchema } from "../../http/management/billing/present-budget.js";
import type { memberSchema } from "../../http/server/present-member.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type Budget = z.infer<typeof budgetSchema>;
export type BudgetPeriod = Budget["period"];

/** Limits as they are typed; null or empty means none. */
export type BudgetLimits = Readonly<
  Record<"hardUsd" | "softUsd" | "hardTokens" | "softTokens", string | null>
>;

/** What a budget is of; without any, of the team. */
export interface BudgetSubject {
  readonly apiKeyId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly tag?: string | undefined;
  readonly endUser?: string | undefined;
}

export interface BudgetName extends BudgetSubject {
  readonly period: BudgetPeriod;
}

/** Who can have a budget of their own. */
export interface BudgetSubjects {
  readonly keys: readonly (readonly [id: string, name: string])[];
  readonly members: readonly (readonly [id: string, name: string])[];
  /** Whether there are more keys or members than these. */
  readonly isPart: boolean;
}

const budgetsPerPage = 50;

/** The addresses of requests are bounded. */
const keysPerQuery = 50;

/** Most keys, and members, of which the console offers a choice. */
const subjectsMax = 1000;

/** Returns budgets in order of creation. */
export async function listBudgets(
  teamId: string,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<Budget>> {
  const answer = await get<{ budgets: readonly Budget[]; paginationToken?: string }>(
    `/auth/teams/${teamId}/budgets`,
    { pageSize: budgetsPerPage, paginationToken: token },
    signal,
  );
  return { items: answer.budgets, next: answer.paginationToken };
}

/** Returns the budgets of some keys; they have at most four each. */
export async function listKeyBudgets(
  teamId: string,
  apiKeyIds: readonly string[],
  signal?: AbortSignal,
): Promise<readonly Budget[]> {
  const lists: Budget[] = [];
  for (let at = 0; at < apiKeyIds.length; at += keysPerQuery) {
    const ids = apiKeyIds.slice(at, at + keysPerQuery).join();
    const { budgets } = await get<{ budgets: readonly Budget[] }>(
      `/auth/teams/${teamId}/budgets`,
      { apiKeyIds: ids },
      signal,
    );
    lists.push(...budgets);
  }
  return lists;
}

/** Sets all limits of a budget; without any, it is removed. */
export function setBudget(
  teamId: string,
  { apiKeyId, memberId, tag, endUser, period }: BudgetName,
  limits: BudgetLimits,
): Promise<unknown> {
  const given = Object.entries(limits).filter(([, limit]) => limit !== null && limit !== "");
  return request("PUT", `/auth/teams/${teamId}/budgets`, {
    body: {
      apiKeyId,
      memberId,
      tag,
      endUser,
      period,
      budget: Object.fromEntries(given),
      fieldMask: Object.keys(limits).join(),
    },
  });
}

/** Returns the keys and members of a team by name. */
export async function listBudgetSubjects(teamId: string, signal?: AbortSignal): Promise<BudgetSubjects> {
  const query = { pageSize: subjectsMax };
  const [keys, members] = await Promise.all([
    get<{ apiKeys: readonly z.infer<typeof apiKeySchema>[]; paginationToken?: string }>(
      `/auth/teams/${teamId}/api-keys`,
      query,
      signal,
    ),
    get<{ members: readonly z.infer<typeof memberSchema>[]; paginationToken?: string }>(
      `/auth/teams/${teamId}/members`,
      query,
      signal,
    ),
  ]);
  return {
    keys: keys.apiKeys.map(({ apiKeyId, name, redactedApiKey }) => [apiKeyId, `${name} (${redactedApiKey})`]),
    members: members.members.map(({ memberId, email }) => [memberId, email]),
    isPart: keys.paginationToken !== undefined || members.paginationToken !== undefined,
  };
}
