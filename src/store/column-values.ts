/** Values that a text column can have. The subject that owns a table exports its own again. */

/** What was done. */
export type Act =
  | "CreateApiKey"
  | "UpdateApiKey"
  | "RotateApiKey"
  | "DeleteApiKey"
  | "CreateTeam"
  | "UpdateTeam"
  | "UpdateTeamLimits"
  | "CreateManagementKey"
  | "DeleteManagementKey"
  | "CreateMember"
  | "UpdateMember"
  | "DeleteMember"
  | "PurchaseCredit"
  | "RefundCredit"
  | "AdjustCredit"
  | "SetSpendingLimit"
  | "SetHostedPrice"
  | "DeleteHostedPrice";

/** What a job makes: a deferred completion, or a response in the background. */
export type JobKind = "deferred-completion" | "background-response";

/**
 * Of a team: `credit`, what it may spend, and `reserved`, what is held for its runs in hand; neither ever falls below zero.
 * `owed` falls below zero by what an unmetered team has used. On the other side: `revenue`, what its runs have cost;
 * `purchases` and `adjustments`, where its credit came from, below zero by as much.
 */
export type LedgerAccount = "credit" | "reserved" | "owed" | "revenue" | "purchases" | "adjustments";

/**
 * A run of a prepaid team has one `reserve` and then one `settle`, where it cost something, or one `release`; that of an unmetered
 * team a `settle` alone. A run that can cost nothing has none of them.
 */
export type TransactionKind = "reserve" | "settle" | "release" | "purchase" | "refund" | "adjust";

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** `owner` manages everything, `admin` keys, `member` reads. */
export type Role = "owner" | "admin" | "member";

/** `prepaid` needs credits; `unmetered` is recorded and priced, never refused. */
export type Billing = "prepaid" | "unmetered";

/** What became of a deferred completion. */
export type DeferredState = "pending" | "done" | "failed";
