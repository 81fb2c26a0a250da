/** GET /console/oidc/start: sends the browser to the identity provider. */
import type { Context } from "../../context.js";
import type { RouteDocs } from "../../route-docs.js";
import { callbackPath, writeTransactionCookie } from "../cookie.js";
import { withProvider, type OidcRouteDeps } from "./with-provider.js";

/** Begins a sign-in through the provider. */
export function startOidc(deps: OidcRouteDeps): (ctx: Context) => Promise<void> {
  return (ctx) =>
    withProvider(ctx, deps, async (oidc) => {
      const origin = deps.publicUrl ?? `${ctx.protocol}://${ctx.host}`;
      const begun = await oidc.begin(origin + callbackPath, ctx.ip);
      writeTransactionCookie(ctx, begun, deps.clock.now());
      ctx.status = 303;
      ctx.redirect(begun.url.href);
    });
}

export const startOidcDocs: RouteDocs = {
  operation: "startOidcSignIn",
  tag: "Console",
  summary: "Sign in through the identity provider",
  description:
    "For browsers. Without a provider in the settings: 404. Where the sign-in cannot begin, to `/console#error=` and a code.",
  answers: { 303: { description: "To the provider.", contentType: "text/html" } },
  errors: ["not_found"],
};
