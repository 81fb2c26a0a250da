import type { Principal } from "../core/api-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";
import type { Context } from "./context.js";

interface RouteBase {
  readonly method: "GET" | "POST";
  /** Path pattern; `:name` stands for one segment. */
  readonly path: string;
  /** Name in `api-key:endpoint:<name>`; null = any valid key will do. */
  readonly endpointAcl: string | null;
  readonly errors: ErrorDialect;
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
