/**
 * The one table of routes: what exists, who may call it, under which endpoint ACL. server.ts builds the router from it and
 * nothing else, so that a route which is not here does not exist, and none is open by oversight.
 */
import type { Principal } from "../core/api-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";
import type { Context } from "./context.js";
import type { BuiltDeps } from "./deps.js";
import { presentApiKey } from "./v1/api-key.js";
import { createChatCompletion } from "./v1/chat-completions.js";
import { findModel, listModels } from "./v1/models.js";
import { presentHealth } from "./healthz.js";
import { presentReadiness } from "./readyz.js";

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

/** Every route of this server. */
export function createRoutes(deps: BuiltDeps): readonly Route[] {
  const open = { errors: "openai", endpointAcl: null, guard: "none" } as const;
  const v1 = { errors: "openai", guard: "api-key" } as const;
  return [
    { ...open, method: "GET", path: "/healthz", handler: presentHealth },
    { ...open, method: "GET", path: "/readyz", handler: presentReadiness(deps) },
    {
      ...v1,
      method: "POST",
      path: "/v1/chat/completions",
      endpointAcl: "chat",
      handler: createChatCompletion(deps),
    },
    { ...v1, method: "GET", path: "/v1/models", endpointAcl: "models", handler: listModels(deps) },
    { ...v1, method: "GET", path: "/v1/models/:id", endpointAcl: "models", handler: findModel(deps) },
    { ...v1, method: "GET", path: "/v1/api-key", endpointAcl: null, handler: presentApiKey },
  ];
}
