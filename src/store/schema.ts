import type { Generated } from "kysely";
import type { AuditAction, BillingMode, DeferredState, ResponseStatus, Role } from "./column-values.js";
import type {
  ConsoleSessionRow,
  MemberIdentityRow,
  MemberSignInRow,
  SignInLinkRow,
  UsedSignInRow,
} from "./tables/sign-in.js";
import type { RequestBodiesRow, RequestBodiesTotalRow } from "./tables/request-bodies.js";
import type { AccessGroupRow } from "./tables/access-groups.js";
import type { JobTable, NodeRow } from "./tables/nodes.js";
import type { McpApprovalRow } from "./tables/approvals.js";
import type { ModelPullTable } from "./tables/pulls.js";
import type { CountedLabelRow, DeletedRunsRow, RunLabelsRow, RunRow } from "./tables/runs.js";
import type { AlertChannelRow, AlertDeliveryRow, AlertRow } from "./tables/alerts.js";
import type { BatchLineRow, BatchRow, FileRow } from "./tables/batches.js";
import type {
  BalanceRow,
  BudgetPeriodTable,
  BudgetRow,
  EntryRow,
  HostedPriceTable,
  PriceTable,
  SpendingLimitRow,
  TeamMonthRow,
  TransactionTable,
  UsageDayRow,
  UsageHourRow,
  UsageLabelHourRow,
  UsageMonthRow,
} from "./money-schema.js";

/**
 * The types of all tables, for kysely; migrations/ creates the tables. SQLite has no booleans: flags are 0 or 1. Times are
 * milliseconds since the epoch.
 */
export interface Schema {
  nodes: NodeRow;
  teams: TeamRow;
  access_groups: AccessGroupRow;
  api_keys: ApiKeyTable;
  removed_keys: RemovedKeyRow;
  runs: RunRow;
  deleted_runs: DeletedRunsRow;
  price_book: PriceTable;
  ledger_transactions: TransactionTable;
  ledger_entries: EntryRow;
  ledger_balances: BalanceRow;
  usage_hours: UsageHourRow;
  usage_days: UsageDayRow;
  usage_label_hours: UsageLabelHourRow;
  usage_months: UsageMonthRow;
  spending_limits: SpendingLimitRow;
  team_months: TeamMonthRow;
  budgets: BudgetRow;
  budget_periods: BudgetPeriodTable;
  hosted_prices: HostedPriceTable;
  jobs: JobTable;
  deferred_completions: DeferredRow;
  responses: ResponseRow;
  response_items: ItemRow;
  response_events: EventsRow;
  conversations: ConversationRow;
  conversation_items: ConversationItemRow;
  chat_completions: ChatCompletionRow;
  run_labels: RunLabelsRow;
  mcp_approvals: McpApprovalRow;
  request_bodies: RequestBodiesRow;
  request_bodies_total: RequestBodiesTotalRow;
  counted_labels: CountedLabelRow;
  management_keys: ManagementKeyTable;
  members: MemberRow;
  member_sign_ins: MemberSignInRow;
  member_identities: MemberIdentityRow;
  sign_in_links: SignInLinkRow;
  used_sign_ins: UsedSignInRow;
  console_sessions: ConsoleSessionRow;
  audit_events: AuditRow;
  team_limits: TeamLimitRow;
  kept_images: StoredImageRow;
  model_pulls: ModelPullTable;
  files: FileRow;
  batches: BatchRow;
  batch_lines: BatchLineRow;
  alert_channels: AlertChannelRow;
  alerts: AlertRow;
  alert_deliveries: AlertDeliveryRow;
}

export interface TeamRow {
  id: string;
  name: string;
  billing: BillingMode;
  blocked: number;
  weight: number;
  create_time: number;
  /** JSON list; null: everything. */
  acls: string | null;
  keeps_bodies: number;
  /** The form in which names are compared; null until a server has started once with this column. */
  name_folded: string | null;
}

export interface TeamLimitRow {
  team_id: string;
  /** Or `*`, `total` or `each-end-user`. */
  model: string;
  qps: number | null;
  qpm: number | null;
  tpm: number | null;
}

export interface ApiKeyRow {
  id: string;
  team_id: string;
  user_id: string;
  name: string;
  hash: Uint8Array;
  redacted: string;
  /** JSON array of strings. */
  acls: string;
  disabled: number;
  blocked: number;
  expire_time: number | null;
  create_time: number;
  modify_time: number;
  modified_by: string;
  qps: number | null;
  qpm: number | null;
  tpm: number | null;
  end_user_qpm: number | null;
  end_user_tpm: number | null;
  previous_hash: Uint8Array | null;
  previous_expire_time: number | null;
  /** JSON array of strings. */
  ip_ranges: string | null;
  last_use_time: number | null;
}

/** The time of last use is written by a statement of its own. */
type ApiKeyTable = Omit<ApiKeyRow, "last_use_time"> & { last_use_time: Generated<number | null> };

/** What stays of a deleted API key. A trigger inserts it. */
export interface RemovedKeyRow {
  id: string;
  team_id: string;
  /** The member who created it; empty: not known. */
  user_id: string;
  /** null: not known. */
  name: string | null;
}

export interface ManagementKeyRow {
  id: string;
  team_id: string | null;
  user_id: string;
  name: string;
  hash: Uint8Array;
  redacted: string;
  /** JSON array of strings. */
  acls: string;
  expire_time: number | null;
  create_time: number;
  modify_time: number;
  /** JSON array of strings. */
  ip_ranges: string | null;
  last_use_time: number | null;
}

type ManagementKeyTable = Omit<ManagementKeyRow, "last_use_time"> & {
  last_use_time: Generated<number | null>;
};

export interface MemberRow {
  id: string;
  team_id: string | null;
  email: string;
  /** The form in which addresses are compared. */
  email_folded: string;
  given_name: string;
  family_name: string;
  role: Role;
  create_time: number;
  /** null = not removed. */
  remove_time: number | null;
}

export interface AuditRow {
  /** Grows with every insert. */
  entry: Generated<number>;
  id: string;
  time: number;
  actor: string;
  user_id: string;
  team_id: string | null;
  act: AuditAction;
  object_id: string;
  description: string;
  /** JSON text. */
  object_before: string | null;
  object_after: string | null;
}

export interface StoredImageRow {
  name: string;
  run_id: string;
  bytes: number;
  expire_time: number;
}

export interface DeferredRow {
  id: string;
  team_id: string;
  user_id: string | null;
  state: DeferredState;
  create_time: number;
  expire_time: number | null;
  /** JSON text of the response or of the error. */
  outcome: string | null;
}

export interface ResponseRow {
  id: string;
  team_id: string;
  user_id: string | null;
  previous_id: string | null;
  conversation_id: string | null;
  status: ResponseStatus;
  background: number;
  streamed: number;
  create_time: number;
  expire_time: number;
  /** JSON text. */
  body: string;
}

export interface ItemRow {
  /** Grows with every insert. */
  entry: Generated<number>;
  response_id: string;
  team_id: string;
  side: "input" | "output";
  position: number;
  id: string;
  /** JSON text. */
  body: string;
}

export interface EventsRow {
  response_id: string;
  events: Uint8Array;
}

export interface ConversationRow {
  id: string;
  team_id: string;
  create_time: number;
  /** JSON text. */
  metadata: string;
}

export interface ConversationItemRow {
  /** Grows with every insert. */
  entry: Generated<number>;
  conversation_id: string;
  id: string;
  /** Size of `body`. */
  bytes: number;
  /** JSON text. */
  body: string;
}

export interface ChatCompletionRow {
  /** Grows with every insert. */
  entry: Generated<number>;
  id: string;
  team_id: string;
  user_id: string | null;
  model: string;
  create_time: number;
  expire_time: number;
  /** JSON text. */
  metadata: string;
  messages: string;
  body: string;
}
