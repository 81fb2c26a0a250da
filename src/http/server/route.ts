/**
 * A route: one export that has its method, path, guard, documentation and handler. The router, the OpenAPI document and the list of
 * endpoint ACLs are built from the routes.
 */
import type { RequestDecision } from "../../accounts/limits/rate-limits.js";
import type { Principal } from "../../accounts/principals/api-key.js";
import type { Manager } from "../../accounts/principals/management-key.js";
import type { ManagementEndpoint } from "../../accounts/principals/manager-permissions.js";
import type { SignedIn } from "../../accounts/sessions/session.js";
import type { ErrorDialect } from "../../dialects/error-body.js";
import type { AccountContext, AppContext } from "./app-context.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

/** The format of a route's errors; `either`: Anthropic's for requests with the header `anthropic-version`, else OpenAI's. */
export type RouteErrors = ErrorDialect | "either";

/** The requests that a route is for. */
interface RouteTarget {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path pattern; `:name` matches one segment, `*name` the rest of the path including slashes. */
  readonly path: string;
  /**
   * Whether it has a body of JSON; absent: a POST or PUT has one. `form`: the handler reads the body, which is multipart/form-data.
   */
  readonly takesBody?: boolean | "form";
}

interface RouteBase extends RouteTarget {
  /** The name in `api-key:endpoint:<name>` or `team-token:endpoint:<name>`; null = any valid key is accepted. */
  readonly acl: string | null;
  readonly errors: RouteErrors;
  /** Whether JSON may be declared as a form, which is the default of `curl -d`. Routes of management keys allow it always. */
  readonly formsAreJson?: true;
  readonly docs: RouteDocs;
}

/** One request of a route that requires no credential. */
export interface PublicCall {
  readonly ctx: Context;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly route: Route;
  /** Every route of the server. */
  readonly routes: readonly Route[];
}

interface BodyCall extends PublicCall {
  /** The parsed JSON body; undefined for a route without one. */
  readonly body: unknown;
  /** The JSON text of the body if it may have numbers that JSON.parse rounds; null otherwise. */
  readonly bodyText: string | null;
}

/** One request with an authenticated API key. */
export interface Call extends BodyCall {
  readonly principal: Principal;
  /** The decision of the key's own rate limits. */
  readonly rateLimitDecision: RequestDecision;
}

/** One request with an authenticated management key. */
interface ManagementCall extends BodyCall {
  readonly route: ManagementRoute;
  readonly manager: Manager;
}

/** One request of a route of accounts, by a management key or by a command of the operator. */
interface AccountCall extends Omit<BodyCall, "route" | "routes"> {
  readonly manager: Manager;
}

/** One request of a page of the console. */
interface PageCall extends BodyCall {
  readonly route: PageRoute;
}

/** One request of a page of the console, of a member who is signed in. */
interface SessionCall extends BodyCall {
  readonly route: SessionRoute;
  readonly signedIn: SignedIn;
}

/** Answers a request. Every handler has the same order: principal, parse, authorise, act, present. */
type Handle<Request, App = AppContext> = (call: Request, app: App) => Promise<void> | void;

export interface PublicRoute extends RouteBase {
  readonly guard: "none";
  readonly handle: Handle<PublicCall>;
}

export interface ApiKeyRoute extends RouteBase {
  readonly guard: "api-key";
  readonly handle: Handle<Call>;
}

export interface ManagementRoute extends RouteBase {
  readonly guard: "management-key";
  readonly acl: ManagementEndpoint | null;
  /** true: a management key for one team may not use it. */
  readonly forAllTeams?: true;
  /** The router has checked the permission before it reads the body. */
  readonly handle: Handle<ManagementCall>;
}

/**
 * A route of management keys that commands of the operator use, too. App: what it needs; a command without a running server has the
 * accounts alone.
 */
export interface AccountRoute<App = AccountContext> extends Omit<ManagementRoute, "handle"> {
  readonly handle: Handle<AccountCall, App>;
}

/** A route for commands of the operator alone: no address leads to it. */
export interface OperatorRoute<App = AccountContext> extends RouteTarget {
  readonly handle: Handle<AccountCall, App>;
}

interface PageRoute extends RouteBase {
  readonly guard: "page";
  readonly handle: Handle<PageCall>;
}

interface SessionRoute extends RouteBase {
  readonly guard: "session";
  readonly handle: Handle<SessionCall>;
}

export type Route = PublicRoute | ApiKeyRoute | ManagementRoute | PageRoute | SessionRoute;

/** What a declaration says of a route: all but what its kind decides, and errors if they are not in the usual format of the kind. */
type Declared<Kind extends RouteBase, Decided extends keyof Kind = never> = Omit<
  Kind,
  "guard" | "errors" | Decided
> & { readonly errors?: RouteErrors };

/** A route that requires no key. */
export function publicRoute(declared: Declared<PublicRoute, "acl">): PublicRoute {
  return { guard: "none", acl: null, errors: "openai", ...declared };
}

/** A route that requires an API key with its ACL. */
export function apiKeyRoute(declared: Declared<ApiKeyRoute>): ApiKeyRoute {
  return { guard: "api-key", errors: "openai", ...declared };
}

/** A route that requires a management key with its ACL and reports errors in the format of a gRPC gateway. */
export function managementRoute(declared: Declared<ManagementRoute>): ManagementRoute {
  return { guard: "management-key", errors: "management", ...declared };
}

/** A route of management keys that commands of the operator use, too. */
export function accountRoute<App = AccountContext>(declared: Declared<AccountRoute<App>>): AccountRoute<App> {
  return { guard: "management-key", errors: "management", ...declared };
}

/** A route that requires no credential, but a request of the console's own pages. */
export function pageRoute(declared: Declared<PageRoute, "acl">): PageRoute {
  return { guard: "page", acl: null, errors: "management", ...declared };
}

/** A route that requires a session of the console, and a request of its own pages. */
export function sessionRoute(declared: Declared<SessionRoute, "acl">): SessionRoute {
  return { guard: "session", acl: null, errors: "management", ...declared };
}

/** Whether requests of a route have a body of JSON. */
export function takesBody({
  method,
  takesBody: takes = method === "POST" || method === "PUT",
}: RouteTarget): boolean {
  return takes === true;
}
