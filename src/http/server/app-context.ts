import type { AnswerContext } from "../../answers/context.js";
import type { AuditLog } from "../../accounts/audit-log.js";
import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import type { ManagerAuthenticator } from "../../accounts/authentication/authenticate-manager.js";
import type { BillingService } from "../../accounts/money/billing.js";
import type { HostedPriceService } from "../../accounts/money/hosted-prices.js";
import type { LedgerStore } from "../../accounts/money/store/ledger.js";
import type { ManagementKeyService } from "../../accounts/management-keys/management-keys.js";
import type { CreditService } from "../../accounts/money/credits.js";
import type { Exports } from "../../accounts/exports/exports.js";
import type { AccessGroupService } from "../../accounts/groups/access-groups.js";
import type { KeyService } from "../../accounts/keys/keys.js";
import type { MemberService } from "../../accounts/members/members.js";
import type { SignInLinks } from "../../accounts/sign-in/links.js";
import type { OidcSignIn } from "../../accounts/sign-in/oidc/oidc-sign-in.js";
import type { SignInService } from "../../accounts/sign-in/sign-in.js";
import type { TeamLimitService } from "../../accounts/limits/team-limits.js";
import type { BudgetGuard } from "../../accounts/budgets/guard.js";
import type { BudgetService } from "../../accounts/budgets/budgets.js";
import type { SpendingService } from "../../accounts/money/spending-limits.js";
import type { UsageReports } from "../../accounts/usage/usage-reports.js";
import type { TeamService } from "../../accounts/teams/teams.js";
import type { ModelLoader } from "../../inference/model-loader.js";
import type { RequestLog } from "../../inference/requests/request-log.js";
import type { DoctorReport } from "../../core/report/doctor.js";
import type { ServerLoad } from "../../core/metrics.js";
import type { Files } from "../../inference/files/files.js";
import type { ImageStore } from "../../inference/images/store.js";
import type { Clock } from "../../core/clock.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { Random } from "../../core/random.js";
import type { Tracing } from "../../core/telemetry/tracing.js";
import type { HostedTokenizer } from "../../core/tokenizer.js";
import type { Batches } from "../../jobs/batches/batches.js";
import type { DeferredCompletions } from "../../jobs/deferred/deferred-completions.js";
import type { Embedder } from "../../inference/embeddings/embed.js";
import type { AlertService } from "../../jobs/alerts/alerts.js";
import type { PullJobs } from "../../jobs/pulls/pull-jobs.js";
import type { StoredObjects } from "../../jobs/stored/stored-objects.js";
import type { JobQueue } from "../../jobs/queue.js";
import type { Logger } from "../../core/logger.js";
import type { BodyBudget } from "../../core/requests/body-budget.js";
import type { ModelAdmin } from "../../models/admin/model-admin.js";
import type { ModelFit } from "../../models/fit/verdict.js";
import type { ServerMetrics } from "../../telemetry/metrics/server-metrics.js";
import type { ServerTls } from "./tls.js";

export interface HttpLimits {
  /** Size of the largest accepted request body. */
  readonly bodyBytesMax: number;
  /** Time within which a client must send its headers. */
  readonly headersTimeoutMs: number;
  /** Time within which a client must send a whole request; the time for the response is not limited. */
  readonly requestTimeoutMs: number;
  /** Time for which an idle connection stays open. */
  readonly keepAliveTimeoutMs: number;
  /** Connections that may be open at one time. */
  readonly connectionsMax: number;
  /** Total size of the headers of one request. */
  readonly headerBytesMax: number;
  /** Time without events after which a stream sends a keep-alive frame. */
  readonly pingEveryMs: number;
  /** Time after which a client that reads nothing of its stream is disconnected. */
  readonly stalledReaderMs: number;
}

/** The services of accounts, which commands of the operator use, too. */
export interface Accounts {
  readonly keys: KeyService;
  readonly teams: TeamService;
  readonly teamLimits: TeamLimitService;
  readonly accessGroups: AccessGroupService;
  readonly members: MemberService;
  readonly managementKeys: ManagementKeyService;
  readonly signInLinks: SignInLinks;
  readonly auditLog: AuditLog;
  readonly credits: CreditService;
  readonly billing: BillingService;
  readonly spending: SpendingService;
  readonly budgets: BudgetService;
  readonly usage: UsageReports;
  readonly exports: Exports;
  readonly hostedPrices: HostedPriceService;
  readonly ledger: LedgerStore;
}

/** The services of accounts of a server, in whose console members sign in. */
export interface ServerAccounts extends Accounts {
  readonly signIn: SignInService;
  /** Sign-in through an identity provider; null: none is configured. */
  readonly oidc: OidcSignIn | null;
}

/** What a server of any routes works with. */
export interface ServerContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: HttpLimits;
  /** The bytes of all request bodies in memory. */
  readonly bodyBudget: BodyBudget;
}

/** What the routes of accounts work with. A command of the operator builds it without the rest of the server. */
export interface AccountContext extends ServerContext {
  readonly accounts: Accounts;
  /** Returns the address of the server for clients and browsers, without a slash at its end: links begin with it. */
  readonly linkBase: () => string;
  /** Returns the models of this server. */
  readonly readModels: () => Promise<ModelRegistry>;
}

/** What the routes of models for commands work with. A command of the operator builds it without the rest of the server. */
export interface ModelsContext extends ServerContext {
  readonly models: ModelRegistry;
  /** Settings of models. */
  readonly modelAdmin: ModelAdmin;
}

/** A server that is stopping. */
export interface ServerStop {
  /** The process that ends last. */
  readonly pid: number;
  /** Within this time it ends, whatever hangs. */
  readonly endMsMax: number;
}

/** What the HTTP server and its handlers work with. */
export interface AppContext extends AnswerContext, AccountContext, ModelsContext {
  /** Program version, shown in the OpenAPI document. */
  readonly version: string;
  readonly authenticator: Authenticator;
  /** Authenticates management keys. */
  readonly managerAuthenticator: ManagerAuthenticator;
  readonly accounts: ServerAccounts;
  readonly budgetGuard: BudgetGuard;
  /** The runs of all teams, those that have not ended included. */
  readonly requestLog: RequestLog;
  readonly embedder: Embedder;
  /** Generated images that clients fetch by URL. */
  readonly imageStore: ImageStore;
  /** Files of teams. */
  readonly files: Files;
  /** Tokenizes text for models that this server does not run. */
  readonly hostedTokenizer: HostedTokenizer;
  readonly deferredCompletions: DeferredCompletions;
  readonly batches: Batches;
  /** What teams have stored, for those who manage it. */
  readonly storedObjects: StoredObjects;
  /** Queue of background responses. */
  readonly backgroundJobs: JobQueue;
  readonly modelLoader: ModelLoader;
  /** Applies settings of models that a command has written. Each request waits for it, so that what comes after the command has them. */
  readonly applySettings: () => Promise<void>;
  /** Judges whether a model fits into the memory that models may take. */
  readonly measureFit: (model: Model) => ModelFit;
  /** Checks the installation. */
  readonly doctor: () => Promise<DoctorReport>;
  /** Downloads of models. */
  readonly pullJobs: PullJobs;
  readonly alerts: AlertService;
  readonly metrics: ServerMetrics;
  readonly tracing: Tracing;
  /** Whether /metrics is public; otherwise it requires a key. */
  readonly metricsOpen: boolean;
  /** Returns the names of the servers that share the database; none where there is one. */
  readonly serverNames: () => Promise<readonly string[]>;
  /** Returns the current load of the server. */
  readonly load: () => ServerLoad;
  /** Returns the reasons why the server cannot accept work at present; empty when it can. */
  readonly ready: () => Promise<readonly string[]>;
  /** Public sentences about other servers that do not answer at present: remote engines, and Redis where each server then counts by itself. */
  readonly remoteProblems: () => readonly string[];
  /** Accepted `Host` names in addition to the loopback ones; null = the header is not checked. */
  readonly allowedHosts: readonly string[] | null;
  /** Origins whose web pages may call the server; `*` = all, empty = none. */
  readonly corsOrigins: readonly string[];
  /** Whether Ollama's interface is served at /api. */
  readonly ollamaApi: boolean;
  /** The API key of requests to Ollama's interface that present none, from programs on this machine; null = none. */
  readonly ollamaKey: string | null;
  /** Keys that the operator has chosen; they are masked in the log. */
  readonly pinnedKeys: readonly string[];
  /** What makes the server speak HTTPS; null: it speaks HTTP. */
  readonly tls: ServerTls | null;
  /** The address at which browsers reach the server, without a slash at its end; null: the address of each request. */
  readonly publicUrl: string | null;
  /** Stops the server as a signal does; left out: no command can stop it. */
  readonly requestStop?: () => ServerStop;
  /** Whether X-Forwarded-* headers are trusted. */
  readonly trustProxy: boolean;
  /** Folder of the guides that /docs/guides shows, with a slash at its end; left out, the folder `docs` of this program. */
  readonly guidesFolder?: URL;
}

/** Limits for a server on a laptop or behind a proxy. */
export const defaultHttpLimits: HttpLimits = {
  bodyBytesMax: 32 * 1024 * 1024,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  connectionsMax: 4096,
  headerBytesMax: 32 * 1024,
  pingEveryMs: 15_000,
  stalledReaderMs: 600_000,
};
