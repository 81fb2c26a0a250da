import type { ManagementEndpoint } from "../accounts/management-keys/permissions.js";
import type { RequestAdmittance } from "../accounts/limits/rate-limits.js";
import type { Principal } from "../accounts/keys/api-key.js";
import type { Manager } from "../accounts/management-keys/management-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";
import type { Context } from "./context.js";
import type { RouteDocs } from "./route-docs.js";

interface RouteBase {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path pattern; `:name` stands for one segment, `*name` for the rest of the path, slashes and all. */
  readonly path: string;
  /** Name in `api-key:endpoint:<name>`, or in that of the guard's own kind; null = any valid key will do. */
  readonly endpointAcl: string | null;
  readonly errors: ErrorDialect;
  /** false for a POST or PUT that says all in its path. */
  readonly takesBody?: false;
  readonly docs: RouteDocs;
}

interface AnyCall {
  readonly ctx: Context;
  /** The parsed JSON body of a POST or PUT; undefined otherwise. */
  readonly body: unknown;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly route: Route;
}

/** One authenticated request, as a handler sees it. */
export interface Call extends AnyCall {
  readonly principal: Principal;
  /** By the limits of its key. */
  readonly admittance: RequestAdmittance;
}

/** One authenticated request to the management plane. */
export interface ManagementCall extends AnyCall {
  readonly route: ManagementRoute;
  readonly manager: Manager;
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

export interface ManagementRoute extends RouteBase {
  readonly guard: "management-key";
  readonly endpointAcl: ManagementEndpoint | null;
  /** In the same order. */
  readonly handler: (call: ManagementCall) => Promise<void> | void;
}

export type Route = PublicRoute | GuardedRoute | ManagementRoute;

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

/** A row that needs a management key with this ACL; its errors are told as a gRPC gateway does. */
export function managementRoute(
  method: Route["method"],
  path: string,
  endpointAcl: ManagementEndpoint | null,
  handler: ManagementRoute["handler"],
  docs: RouteDocs,
): ManagementRoute {
  return { guard: "management-key", method, path, endpointAcl, errors: "management", handler, docs };
}
