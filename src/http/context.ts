import type Koa from "koa";
import type { Principal } from "../accounts/keys/api-key.js";
import type { Manager } from "../accounts/management-keys/management-key.js";
import type { ErrorDialect } from "../dialects/error-body.js";

/** What the stations of one request hand to one another. */
export interface RequestState {
  requestId: string;
  /** Whose words an error is told in; set by the route. */
  errorDialect: ErrorDialect;
  /** Pattern of the route, for the log; null until one matched. */
  routePath: string | null;
  principal: Principal | null;
  /** Who asks of the management plane. */
  manager: Manager | null;
}

export type Context = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;
