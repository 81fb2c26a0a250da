import type { Principal } from "../core/api-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

interface RouteBase {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path pattern; `:name` stands for one segment, `*name` for the rest of the path, slashes and all. */
  readonly path: string;
  /** Name in `api-key:endpoint:<name>`; null = any valid key will do. */
  readonly endpointAcl: string | null;
  readonly errors: ErrorDialect;
  /** false for a POST that says all in its path. */
  readonly takesBody?: false;
  readonly docs: RouteDocs;
}

/** One authenticated request, as a handler sees it. */
export interface Call {
  readonly ctx: Context;
  readonly principal: Principal;
  /** The parsed JSON body of a POST; undefined otherwise. */
  readonly body: unknown;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly route: Route;
}

export interface PublicRoute extends RouteBase {
  readonly guard: "none";
  readonly handler: (ctx: Context) => Promise<void> | void;
}

export interface GuardedRoute extends RouteBase {
  readonly guard: "api-key";
  /** Always in one order: principal, parse, authorise, act, present. */
  readonly handler: (call: Call) => Promise<void> | void;
}

export type Route = PublicRoute | GuardedRoute;

/** A row of the table that needs no key. */
export function openRoute(
  method: Route["method"],
  path: string,
  handler: PublicRoute["handler"],
  docs: RouteDocs,
): PublicRoute {
  return { guard: "none", method, path, endpointAcl: null, errors: "openai", handler, docs };
}

/** A row that needs a key with this ACL. */
export function keyedRoute(
  method: Route["method"],
  path: string,
  endpointAcl: string | null,
  handler: GuardedRoute["handler"],
  docs: RouteDocs,
): GuardedRoute {
  return { guard: "api-key", method, path, endpointAcl, errors: "openai", handler, docs };
}

/** The same, with errors in Anthropic's words. */
export function anthropicRoute(...row: Parameters<typeof keyedRoute>): GuardedRoute {
  return { ...keyedRoute(...row), errors: "anthropic" };
}
