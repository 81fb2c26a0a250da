/** The types of the tables of usage, spending limits, prices and the ledger; `Schema` names the tables. */
import type { Generated } from "kysely";
import type { BudgetPeriod, BudgetSubject, LedgerAccount, TransactionKind } from "./column-values.js";

/** Updated by triggers on runs. */
export interface UsageHourRow {
  team_id: string;
  hour: number;
  model: string;
  asked_model: string;
  api_key_id: string;
  runs: number;
  prompt_tokens: number;
  cached_tokens: number;
  image_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  cost_ticks: number;
  credit_ticks: number;
  images: number;
}

/** Updated by triggers on runs: the sums of the hours of a day (UTC), which is its first millisecond. */
export type UsageDayRow = Omit<UsageHourRow, "hour"> & { day: number };

/** Updated by triggers on runs. A run is in a row for each of its tags, and in one for its end user. */
export interface UsageLabelHourRow extends UsageHourRow {
  kind: "tag" | "user";
  label: string;
}

/** Updated by triggers on runs. */
export interface UsageMonthRow {
  team_id: string;
  /** Such as 202611. */
  month: number;
  model: string;
  /** Of the price book; 0 for runs older than it. */
  price_id: number;
  image_ticks: number;
  /** Prompt tokens that were not cached. */
  evaluated_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  reasoning_tokens: number;
  images: number;
  cost_ticks: number;
  credit_ticks: number;
}

export interface SpendingLimitRow {
  team_id: string;
  hard_ticks: number | null;
  soft_ticks: number | null;
}

/** Updated by triggers on runs. */
export interface TeamMonthRow {
  team_id: string;
  /** Such as 202611. */
  month: number;
  charged_ticks: number;
  reserved_ticks: number;
}

export interface BudgetRow {
  /** Id of a key, a member or the team, or of a label: `tag:...`, `user:...`. */
  subject_id: string;
  team_id: string;
  period: BudgetPeriod;
  subject: BudgetSubject;
  hard_ticks: number | null;
  soft_ticks: number | null;
  hard_tokens: number | null;
  soft_tokens: number | null;
  create_time: number;
}

export interface BudgetPeriodRow {
  subject_id: string;
  team_id: string;
  period: BudgetPeriod;
  start_time: number;
  spent_ticks: number;
  spent_tokens: number;
  reserved_ticks: number;
  reserved_tokens: number;
  /** Whether the audit log has that a soft limit was reached. */
  warned: number;
}

/** Updated by triggers on runs. */
export type BudgetPeriodTable = Omit<BudgetPeriodRow, "warned"> & { warned: Generated<number> };

export interface HostedPriceTable {
  /** Grows with every insert. */
  id: Generated<number>;
  alias: string;
  prompt_ticks: number;
  cached_ticks: number;
  completion_ticks: number;
  create_time: number;
}

export interface PriceRow {
  id: number;
  model: string;
  prompt_text_token_ticks: number;
  cached_prompt_text_token_ticks: number;
  completion_text_token_ticks: number;
  create_time: number;
}

/** The id grows with every insert. */
export type PriceTable = Omit<PriceRow, "id"> & { id: Generated<number> };

export interface TransactionRow {
  id: number;
  kind: TransactionKind;
  team_id: string;
  run_id: string | null;
  note: string | null;
  create_time: number;
}

/** The id grows with every insert. */
export type TransactionTable = Omit<TransactionRow, "id"> & { id: Generated<number> };

export interface EntryRow {
  transaction_id: number;
  account: LedgerAccount;
  amount_ticks: number;
}

export interface BalanceRow {
  team_id: string;
  account: LedgerAccount;
  balance_ticks: number;
}
