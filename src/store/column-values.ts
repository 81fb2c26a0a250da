/** The values of text columns. The folder that owns a table re-exports its types. */

/** The actions in the audit log. */
export type AuditAction =
  | "CreateApiKey"
  | "UpdateApiKey"
  | "RotateApiKey"
  | "DeleteApiKey"
  | "CreateTeam"
  | "UpdateTeam"
  | "UpdateTeamLimits"
  | "CreateAccessGroup"
  | "UpdateAccessGroup"
  | "DeleteAccessGroup"
  | "CreateManagementKey"
  | "DeleteManagementKey"
  | "CreateMember"
  | "UpdateMember"
  | "DeleteMember"
  | "SignIn"
  | "RejectSignIn"
  | "LinkMember"
  | "SignOut"
  | "SignOutEverywhere"
  | "SetPassword"
  | "ResetPassword"
  | "CreateSignInLink"
  | "PurchaseCredit"
  | "RefundCredit"
  | "AdjustCredit"
  | "SetSpendingLimit"
  | "SetBudget"
  | "ReachBudget"
  | "CancelRequest"
  | "CancelStored"
  | "DeleteStored"
  | "DeleteRequestBodies"
  | "CreateAlertChannel"
  | "DeleteAlertChannel"
  | "TestAlertChannel"
  | "UpdateModelSettings"
  | "PullModel"
  | "CancelModelPull"
  | "DeleteModel"
  | "LoadModel"
  | "UnloadModel"
  | "SetHostedPrice"
  | "DeleteHostedPrice";

/** Fields of an object in the audit log, as JSON holds them. */
export type AuditedFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export type JobKind = "deferred-completion" | "background-response" | "batch-line";

/** The API that created a batch. */
export type BatchFormat = "openai" | "anthropic";

/**
 * Accounts of a team. `credit` is what it may spend, `reserved` what is reserved for its active runs; neither is ever negative.
 * `owed` is the negated usage of an unmetered team. The contra accounts: `revenue` is what its runs have cost; `purchases` and
 * `adjustments` are the negated sources of its credit.
 */
export type LedgerAccount = "credit" | "reserved" | "owed" | "revenue" | "purchases" | "adjustments";

/**
 * A run of a prepaid team has one `reserve`, followed by one `settle` if it cost something, else by one `release`. A run of an
 * unmetered team has only a `settle`. A run that cannot cost anything has no transactions.
 */
export type TransactionKind = "reserve" | "settle" | "release" | "purchase" | "refund" | "adjust";

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** `owner` manages everything, `admin` manages keys, `member` reads, and manages API keys of their own. */
export type MemberRole = "owner" | "admin" | "member";

/** A `prepaid` team needs credit; the usage of an `unmetered` team is recorded and priced but never refused. */
export type BillingMode = "prepaid" | "unmetered";

/**
 * What a budget limits; the budget of a member holds for all keys that the member created in a team, budgets of a tag and of an end user
 * for all requests of the team that name them.
 */
export type BudgetSubject = "key" | "member" | "team" | "tag" | "user";

/** Where a label of a run comes from: the header of tags, or the metadata or the end user of the request. */
export type LabelSource = "header" | "metadata" | "user";

/** The time for which a budget is set, in UTC; a week starts on Monday, `total` never ends. */
export type BudgetPeriod = "day" | "week" | "month" | "total";

/** What a file is for: the purposes of uploads, the output of a batch, and the results of a message batch, which no list shows. */
export type FilePurpose =
  "assistants" | "batch" | "user_data" | "vision" | "batch_output" | "message_batch_results";
