import type { ManagementEndpoint } from "../accounts/management-keys/permissions.js";
import type { RequestDecision } from "../accounts/limits/rate-limits.js";
import type { Principal } from "../accounts/keys/api-key.js";
import type { Manager } from "../accounts/management-keys/management-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";
import type { SignedIn } from "../accounts/sign-in/session.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

/** The format of a route's errors; `either`: Anthropic's for requests with the header `anthropic-version`, else OpenAI's. */
export type RouteErrors = ErrorDialect | "either";

interface RouteBase {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path pattern; `:name` matches one segment, `*name` the rest of the path including slashes. */
  readonly path: string;
  /** The name in `api-key:endpoint:<name>` or `team-token:endpoint:<name>`; null = any valid key is accepted. */
  readonly endpointAcl: string | null;
  readonly errors: RouteErrors;
  /**
   * Whether it has a body of JSON; absent: a POST or PUT has one. `form`: the handler reads the body, which is multipart/form-data.
   */
  readonly takesBody?: boolean | "form";
  /** Whether JSON may be declared as a form, which is the default of `curl -d`. Routes of management keys allow it always. */
  readonly formsAreJson?: true;
  readonly docs: RouteDocs;
}

interface BaseCall {
  readonly ctx: Context;
  /** The parsed JSON body; undefined for a route without one. */
  readonly body: unknown;
  /** The JSON text of the body if it may have numbers that JSON.parse rounds; null otherwise. */
  readonly bodyText: string | null;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly route: Route;
}

/** One request with an authenticated API key. */
export interface Call extends BaseCall {
  readonly principal: Principal;
  /** The decision of the key's own rate limits. */
  readonly rateLimitDecision: RequestDecision;
}

/** One request with an authenticated management key. */
export interface ManagementCall extends BaseCall {
  readonly route: ManagementRoute;
  readonly manager: Manager;
}

/** One request of a page of the console. */
export interface PageCall extends BaseCall {
  readonly route: PageRoute;
}

/** One request of a page of the console, of a member who is signed in. */
export interface SessionCall extends BaseCall {
  readonly route: SessionRoute;
  readonly signedIn: SignedIn;
}

export interface PublicRoute extends RouteBase {
  readonly guard: "none";
  readonly handler: (ctx: Context) => Promise<void> | void;
}

export interface ApiKeyRoute extends RouteBase {
  readonly guard: "api-key";
  /** true: requests of programs on this machine need not present a key where the operator has set one for them. */
  readonly takesLocalKey?: true;
  /** Every handler has the same order: principal, parse, authorise, act, present. */
  readonly handler: (call: Call) => Promise<void> | void;
}

export interface ManagementRoute extends RouteBase {
  readonly guard: "management-key";
  readonly endpointAcl: ManagementEndpoint | null;
  /** true: a management key for one team may not use it. */
  readonly forAllTeams?: true;
  /** Has the same order as handlers of API keys, except that the router has checked the permission before it reads the body. */
  readonly handler: (call: ManagementCall) => Promise<void> | void;
}

export interface PageRoute extends RouteBase {
  readonly guard: "page";
  readonly handler: (call: PageCall) => Promise<void> | void;
}

export interface SessionRoute extends RouteBase {
  readonly guard: "session";
  readonly handler: (call: SessionCall) => Promise<void> | void;
}

export type Route = PublicRoute | ApiKeyRoute | ManagementRoute | PageRoute | SessionRoute;

/** A route that requires no key. */
export function publicRoute(
  method: Route["method"],
  path: string,
  handler: PublicRoute["handler"],
  docs: RouteDocs,
): PublicRoute {
  return { guard: "none", method, path, endpointAcl: null, errors: "openai", handler, docs };
}

/** A route that requires an API key with this ACL. */
export function apiKeyRoute(
  method: Route["method"],
  path: string,
  endpointAcl: string | null,
  handler: ApiKeyRoute["handler"],
  docs: RouteDocs,
): ApiKeyRoute {
  return { guard: "api-key", method, path, endpointAcl, errors: "openai", handler, docs };
}

/** A route that requires an API key and reports errors in Anthropic's format. */
export function anthropicRoute(...row: Parameters<typeof apiKeyRoute>): ApiKeyRoute {
  return { ...apiKeyRoute(...row), errors: "anthropic" };
}

/** A route that requires a management key with this ACL and reports errors in the format of a gRPC gateway. */
export function managementRoute(
  method: Route["method"],
  path: string,
  endpointAcl: ManagementEndpoint | null,
  handler: ManagementRoute["handler"],
  docs: RouteDocs,
): ManagementRoute {
  return { guard: "management-key", method, path, endpointAcl, errors: "management", handler, docs };
}

/** A route that requires no credential, but a request of the console's own pages. */
export function pageRoute(
  method: Route["method"],
  path: string,
  handler: PageRoute["handler"],
  docs: RouteDocs,
): PageRoute {
  return { guard: "page", method, path, endpointAcl: null, errors: "management", handler, docs };
}

/** A route that requires a session of the console, and a request of its own pages. */
export function sessionRoute(
  method: Route["method"],
  path: string,
  handler: SessionRoute["handler"],
  docs: RouteDocs,
): SessionRoute {
  return { guard: "session", method, path, endpointAcl: null, errors: "management", handler, docs };
}

/** The same route without a request body. */
export function withoutBody<Row extends Route>(route: Row): Row {
  return { ...route, takesBody: false };
}

/** The same route with a request body, which a DELETE need not have. */
export function withBody<Row extends Route>(route: Row): Row {
  return { ...route, takesBody: true };
}

/** Whether requests of a route have a body of JSON. */
export function takesBody({
  method,
  takesBody: takes = method === "POST" || method === "PUT",
}: Route): boolean {
  return takes === true;
}

/** A route of an API key or a management key that reports errors in Ollama's format, and takes bodies as its clients send them. */
export function ollamaRoute<Row extends Route>(route: Row): Row {
  const isOfKeys = route.guard === "api-key";
  return { ...route, errors: "ollama", formsAreJson: true, ...(isOfKeys ? { takesLocalKey: true } : {}) };
}

/** The same route with a body of multipart/form-data, which its handler reads. */
export function withForm(route: ApiKeyRoute): ApiKeyRoute {
  return { ...route, takesBody: "form" };
}

/** The same route for OpenAI and Anthropic clients, each with errors in its own format. */
export function forBothClients(route: ApiKeyRoute): ApiKeyRoute {
  return { ...route, errors: "either" };
}

/** The same route, only for management keys for all teams. */
export function forAllTeams(route: ManagementRoute): ManagementRoute {
  return { ...route, forAllTeams: true };
}
