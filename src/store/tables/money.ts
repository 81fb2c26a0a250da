/** The tables of usage, spending limits, budgets, prices and the ledger. Triggers on runs update the sums. */
import type { Generated } from "kysely";
import type { BudgetPeriod, BudgetSubject, LedgerAccount, TransactionKind } from "../column-values.js";

/** What runs have used and cost. */
interface UsageSums {
  model: string;
  askedModel: string;
  apiKeyId: string;
  runs: number;
  promptTokens: number;
  cachedTokens: number;
  imageTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  costTicks: number;
  creditTicks: number;
  images: number;
}

export interface MoneyTables {
  usageHours: UsageSums & { teamId: string; hour: number };
  /** The sums of the hours of a day (UTC), which is its first millisecond. */
  usageDays: UsageSums & { teamId: string; day: number };
  /** A run is in a row for each of its tags, and in one for its end user. */
  usageLabelHours: UsageSums & { teamId: string; kind: "tag" | "user"; hour: number; label: string };
  usageMonths: {
    teamId: string;
    /** Such as 202611. */
    month: number;
    model: string;
    /** The version of the price book; 0 for runs older than it. */
    priceId: number;
    imageTicks: number;
    /** Prompt tokens that were not cached. */
    evaluatedTokens: number;
    cachedTokens: number;
    completionTokens: number;
    reasoningTokens: number;
    images: number;
    costTicks: number;
    creditTicks: number;
  };
  spendingLimits: {
    teamId: string;
    hardTicks: number | null;
    softTicks: number | null;
  };
  teamMonths: {
    teamId: string;
    /** Such as 202611. */
    month: number;
    chargedTicks: number;
    reservedTicks: number;
  };
  budgets: {
    /** Id of a key, a member or the team, or of a label: `tag:...`, `user:...`. */
    subjectId: string;
    teamId: string;
    period: BudgetPeriod;
    subject: BudgetSubject;
    hardTicks: number | null;
    softTicks: number | null;
    hardTokens: number | null;
    softTokens: number | null;
    createTime: number;
  };
  budgetPeriods: {
    subjectId: string;
    teamId: string;
    period: BudgetPeriod;
    startTime: number;
    spentTicks: number;
    spentTokens: number;
    reservedTicks: number;
    reservedTokens: number;
    /** Whether the audit log has that a soft limit was reached. */
    warned: Generated<boolean>;
  };
  hostedPrices: {
    /** Grows with every insert. */
    id: Generated<number>;
    alias: string;
    promptTicks: number;
    cachedTicks: number;
    completionTicks: number;
    createTime: number;
  };
  priceBook: {
    /** Grows with every insert. */
    id: Generated<number>;
    model: string;
    promptTextTokenTicks: number;
    cachedPromptTextTokenTicks: number;
    completionTextTokenTicks: number;
    createTime: number;
  };
  ledgerTransactions: {
    /** Grows with every insert. */
    id: Generated<number>;
    kind: TransactionKind;
    teamId: string;
    runId: string | null;
    note: string | null;
    createTime: number;
  };
  ledgerEntries: {
    transactionId: number;
    account: LedgerAccount;
    amountTicks: number;
  };
  ledgerBalances: {
    teamId: string;
    account: LedgerAccount;
    balanceTicks: number;
  };
}
