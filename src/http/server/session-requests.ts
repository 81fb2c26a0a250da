/**
 * Lets the console call the routes of the API: `/console/api/auth/teams` is `/auth/teams` for the member who is signed in, whose role
 * and team decide as with a management key, and `/console/api/v1/...` is `/v1/...` with the API key of the member's sessions. The
 * cookie is sent to `/console` only, so that no session opens the routes themselves.
 */
import type { SignedIn } from "../../accounts/sessions/session.js";
import type { Context, Middleware } from "./context.js";
import type { AppContext } from "./app-context.js";
import { readSessionCookie } from "./session-cookie.js";
import { checkOwnPage } from "./own-page.js";

/** The paths that the console may call, below its own. */
const apiPath = /^\/console\/api((?:\/v1|\/auth|\/admin|\/audit)\/.*|\/metrics)$/;

/** Finds the session of a request. @throws HearthError `unauthenticated` or `permission_denied`. */
export function findSession(ctx: Context, { accounts }: AppContext): Promise<SignedIn> {
  return accounts.signIn.find(readSessionCookie(ctx));
}

/**
 * Authenticates requests of the console to routes of the API, and passes them on to these routes. It must come after CORS, which
 * never allows them.
 * @param chooseDialect chooses the format of errors by the path
 */
export function admitSessions(app: AppContext, chooseDialect: Middleware): Middleware {
  return async (ctx, next) => {
    const [, path] = apiPath.exec(ctx.path) ?? [];
    if (path === undefined) {
      await next();
      return;
    }
    ctx.path = path;
    ctx.state.errorDialect = "openai";
    await chooseDialect(ctx, () => Promise.resolve());
    checkOwnPage(ctx);
    ctx.state.signedIn = await findSession(ctx, app);
    ctx.set("cache-control", "no-store");
    await next();
  };
}
