/** Money of a team. Amounts are whole cents, as strings. */
import type { z } from "zod";
import type { balanceChange } from "../../http/management/billing/balance-change.js";
import type { previewSchema } from "../../http/management/billing/invoice-preview.js";
import type { limitsSchema } from "../../http/management/billing/spending-limits.js";
import type { balanceSchema } from "../../http/management/billing/balance.js";
import { get, request } from "../lib/client.js";
import type { Page } from "../lib/resource.js";

export type BalanceChange = z.infer<typeof balanceChange>;
export type Invoice = z.infer<typeof previewSchema>;
export type InvoiceLine = Invoice["coreInvoice"]["lines"][number];
export type SpendingLimits = z.infer<typeof limitsSchema>["spendingLimits"];

const changesPerPage = 25;

/** Returns the changes of the credit, newest first. */
export async function listChanges(
  teamId: string,
  token?: string,
  signal?: AbortSignal,
): Promise<Page<BalanceChange>> {
  const answer = await getBalance(teamId, changesPerPage, token, signal);
  return { items: answer.changes, next: answer.paginationToken };
}

/** Returns the credit in cents, without what is reserved for active requests. */
export async function getCredit(teamId: string, signal?: AbortSignal): Promise<bigint> {
  const { total } = await getBalance(teamId, 1, undefined, signal);
  // The API counts credit as negative.
  return -BigInt(total.val);
}

/** Adds credit. */
export function addCredit(teamId: string, cents: string): Promise<unknown> {
  return request("POST", `${path(teamId)}/prepaid/top-up`, { body: { amount: { val: cents } } });
}

export async function getSpendingLimits(teamId: string, signal?: AbortSignal): Promise<SpendingLimits> {
  const { spendingLimits } = await get<z.infer<typeof limitsSchema>>(
    `${path(teamId)}/postpaid/spending-limits`,
    {},
    signal,
  );
  return spendingLimits;
}

/** Sets a monthly limit. @param cents null removes it */
export function setSpendingLimit(
  teamId: string,
  kind: "hard" | "soft",
  cents: string | null,
): Promise<unknown> {
  const limit = cents === null ? null : { val: cents };
  const body = kind === "hard" ? { desiredHardSpendingLimit: limit } : { desiredSoftSpendingLimit: limit };
  return request("POST", `${path(teamId)}/postpaid/spending-limits`, { body });
}

/** Returns the invoice of this month so far. */
export function getInvoice(teamId: string, signal?: AbortSignal): Promise<Invoice> {
  return get(`${path(teamId)}/postpaid/invoice/preview`, {}, signal);
}

function getBalance(teamId: string, pageSize: number, token?: string, signal?: AbortSignal) {
  return get<z.infer<typeof balanceSchema>>(
    `${path(teamId)}/prepaid/balance`,
    { pageSize, paginationToken: token },
    signal,
  );
}

function path(teamId: string): string {
  return `/v1/billing/teams/${teamId}`;
}
