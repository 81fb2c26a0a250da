/**
 * Serves the operator of the machine: the commands, which reach it by a socket that only the user of the server can open, or in their own
 * process. Every client that can connect is the operator and needs no key.
 */
import { createServer, type Server } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import { cliActor } from "../../accounts/audit/actors.js";
import type { Manager } from "../../accounts/principals/management-key.js";
import { allManagementAcls } from "../../accounts/principals/manager-permissions.js";
import { toHearthError } from "../../core/errors.js";
import type { Logger } from "../../core/logger.js";
import { errorBody, errorStatus } from "../../dialects/error-body.js";
import type { ServerContext } from "./app-context.js";
import type { Context, Middleware, RequestState } from "./context.js";
import { readJsonBody } from "./middleware/body.js";
import { reportFailure } from "./middleware/errors.js";
import { assignRequestId } from "./middleware/request-id.js";
import { noSuchPath } from "./no-such-path.js";
import { takesBody, type OperatorRoute } from "./route.js";

/** The person at the command line, who may do everything. */
const operator: Manager = {
  key: {
    ...cliActor,
    name: "",
    hash: new Uint8Array(),
    redacted: "",
    acls: allManagementAcls,
    expireTime: null,
    createTime: 0,
    modifyTime: 0,
    ipRanges: null,
    lastUseTime: null,
  },
  team: null,
  member: null,
};

/** Builds the server; it is bound to no address. */
export function createOperatorServer<App extends ServerContext>(
  app: App,
  routes: readonly OperatorRoute<App>[],
): Server {
  const koa = new Koa<RequestState>({ env: "production" });
  koa.on("error", (error: unknown) => app.logger.error({ err: error }, "answer to a command failed"));
  koa.use(assignRequestId(app.random, (text) => text));
  koa.use(answerErrors(app.logger));
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes) router.register(route.path, [route.method], (ctx) => answer(ctx, route, app));
  koa.use(router.routes());
  koa.use(() => {
    throw noSuchPath();
  });
  const respond = koa.callback();
  return createServer((req, res) => void respond(req, res));
}

/** Answers errors. Unlike other clients, the operator gets the cause of an internal error. */
function answerErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toHearthError(thrown);
      reportFailure(logger, ctx, error);
      const isInternal = error.kind === "internal" && thrown instanceof Error;
      const body = errorBody(error, "management", ctx.state.requestId);
      ctx.status = errorStatus(error, "management");
      ctx.body = isInternal ? { ...body, message: thrown.message } : body;
    }
  };
}

async function answer<App extends ServerContext>(
  ctx: Context & { readonly params: Readonly<Record<string, string>> },
  route: OperatorRoute<App>,
  app: App,
): Promise<void> {
  const rules = { bodyBytesMax: app.limits.bodyBytesMax, formsAreJson: "none" } as const;
  const { value, text } = takesBody(route)
    ? await readJsonBody(ctx, app.bodyBudget, rules)
    : { value: undefined, text: null };
  const { params } = ctx;
  const { requestId } = ctx.state;
  await route.handle({ ctx, params, requestId, manager: operator, body: value, bodyText: text }, app);
}
