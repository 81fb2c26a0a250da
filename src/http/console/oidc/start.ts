/** GET /console/oidc/start: sends the browser to the identity provider. */
import { writeTransactionCookie } from "./transaction-cookie.js";
import { finishOidc } from "./callback.js";
import { withProvider } from "./with-provider.js";
import { publicRoute } from "../../server/route.js";

/** Begins a sign-in through the provider. */
export const startOidc = publicRoute({
  method: "GET",
  path: "/console/oidc/start",
  docs: {
    operation: "startOidcSignIn",
    tag: "Console",
    summary: "Sign in through the identity provider",
    description:
      "For browsers. Without a provider in the settings: 404. Where the sign-in cannot begin, to `/console#error=` and a code.",
    answers: { 303: { description: "To the provider.", contentType: "text/html" } },
    errors: ["not_found"],
  },
  handle({ ctx }, app) {
    return withProvider(ctx, app, async (oidc) => {
      const origin = app.publicUrl ?? `${ctx.protocol}://${ctx.host}`;
      const begun = await oidc.begin(origin + finishOidc.path, ctx.ip);
      writeTransactionCookie(ctx, begun, app.clock.now());
      ctx.status = 303;
      ctx.redirect(begun.url.href);
    });
  },
});
