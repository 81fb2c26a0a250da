import type Koa from "koa";
import type { Principal } from "../../accounts/principals/api-key.js";
import type { Manager } from "../../accounts/principals/management-key.js";
import type { SignedIn } from "../../accounts/sessions/session.js";
import type { ErrorDialect } from "../../dialects/error-body.js";

/** State of one request, shared by the middleware. */
export interface RequestState {
  requestId: string;
  /** What addresses of this server have before the path of a route, such as `/hearth`; empty where there is nothing. */
  basePath: string;
  /** The span of the request, as the header `traceparent` would name it; null: it is not traced. */
  spanId: string | null;
  /** Format of error bodies; set by the route. */
  errorDialect: ErrorDialect;
  /** Pattern of the matched route, for the log; null before a match. */
  routePath: string | null;
  principal: Principal | null;
  /** The caller of the management API. */
  manager: Manager | null;
  /** The session of a request that the console sends to a route of the API. */
  signedIn: SignedIn | null;
}

export type Context = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;
