import type { AuditLog } from "../accounts/audit/audit-log.js";
import type { Authenticator } from "../accounts/authentication/authenticate-key.js";
import type { ManagerAuthenticator } from "../accounts/authentication/authenticate-manager.js";
import type { Billing } from "../accounts/money/balance-changes.js";
import type { CreditService } from "../accounts/money/credits.js";
import type { KeyService } from "../accounts/keys/keys.js";
import type { MemberService } from "../accounts/members/members.js";
import type { RateLimits } from "../accounts/limits/rate-limits.js";
import type { TeamLimitService } from "../accounts/limits/team-limits.js";
import type { SpendingService } from "../accounts/money/spending-limits.js";
import type { UsageReports } from "../accounts/usage/usage-reports.js";
import type { TeamService } from "../accounts/teams/teams.js";
import type { Clock } from "../core/clock.js";
import type { ServerLoad } from "../core/metrics.js";
import type { ImageStore } from "../inference/images/stored-image.js";
import type { ModelRegistry } from "../core/model.js";
import type { Random } from "../core/random.js";
import type { HostedTokenizer } from "../core/tokenizer.js";
import type { Deferrals } from "../jobs/deferred/deferred-completions.js";
import type { Drawings } from "../inference/images/generate-images.js";
import type { Generator } from "../inference/run/generate.js";
import type { JobQueue } from "../jobs/queue.js";
import type { Memory } from "../inference/responses/stored-responses.js";
import type { Logger } from "../core/logger.js";
import type { ServerMetrics } from "./metrics.js";

export interface HttpLimits {
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Time a client has for sending its headers. */
  readonly headersTimeoutMs: number;
  /** Time a client has for sending a whole request; the answer may take as long as it likes. */
  readonly requestTimeoutMs: number;
  /** Time an idle connection is kept for the next request. */
  readonly keepAliveTimeoutMs: number;
  /** Connections open at a time; more are not accepted. */
  readonly connectionsMax: number;
  /** All headers of a request together, in bytes. */
  readonly headerBytesMax: number;
  /** Silence on a stream after which a comment is sent. */
  readonly pingEveryMs: number;
  /** Time a client may take none of what is waiting for it before it counts as gone. */
  readonly stalledReaderMs: number;
}

/** What the management plane manages. */
export interface Accounts {
  readonly keys: KeyService;
  readonly teams: TeamService;
  readonly teamLimits: TeamLimitService;
  readonly members: MemberService;
  readonly auditLog: AuditLog;
  readonly credits: CreditService;
  readonly billing: Billing;
  readonly spending: SpendingService;
  readonly usage: UsageReports;
}

/** Everything the HTTP side is built over. */
export interface HttpDeps {
  /** Of this program, as the OpenAPI document tells it. */
  readonly version: string;
  readonly authenticator: Authenticator;
  /** Of the management plane. */
  readonly managers: ManagerAuthenticator;
  readonly accounts: Accounts;
  /** Who may ask how much. */
  readonly rateLimits: RateLimits;
  readonly generator: Generator;
  readonly drawings: Drawings;
  /** Drawn images that are fetched by URL. */
  readonly images: ImageStore;
  /** Of models that run elsewhere. */
  readonly hostedTokenizer: HostedTokenizer;
  /** Completions that are asked for now and fetched later. */
  readonly deferrals: Deferrals;
  /** Stored responses. */
  readonly memory: Memory;
  /** Responses that are made in the background. */
  readonly background: JobQueue;
  readonly models: ModelRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  /** Whether /metrics is for whoever reaches the server, or only for a key. */
  readonly metricsOpen: boolean;
  /** How busy the server is just now. */
  readonly load: () => ServerLoad;
  /** Why the server cannot take work just now; empty when it can. */
  readonly ready: () => Promise<readonly string[]>;
  /** What is not named here is as in `defaultHttpLimits`. */
  readonly limits: Partial<HttpLimits>;
  /** Host names a request may be addressed to besides the loopback ones; null = the Host header is not looked at. */
  readonly allowedHosts: readonly string[] | null;
  /** Keys of the operator's own choosing, which no log may show. */
  readonly pinnedKeys: readonly string[];
  /** Whether X-Forwarded-* headers are believed. */
  readonly trustProxy: boolean;
  /** Folder of the guides that /docs/guides shows, with a slash at its end; left out, the folder `docs` of this program. */
  readonly guidesFolder?: URL;
}

/** The same with every limit known: what the stations are built over. */
export interface BuiltDeps extends HttpDeps {
  readonly limits: HttpLimits;
}

/** Limits that suit a server on a laptop and behind a proxy alike. */
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
