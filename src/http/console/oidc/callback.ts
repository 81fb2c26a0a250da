/** GET /console/oidc/callback: where the identity provider sends the browser back. */
import { takeTransactionCookie } from "./transaction-cookie.js";
import { writeNewSession } from "../present.js";
import { withProvider } from "./with-provider.js";
import { publicRoute } from "../../server/route.js";

/**
 * The page that leads to the console. A redirect would not do: it would continue the navigation that began at the provider's site, with
 * which browsers send no cookie that is SameSite=Strict, such as the session's. A navigation that begins on this page is the server's own.
 */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=/console">
<title>Signed in</title>
<p>You are signed in. <a href="/console">Continue to the console</a></p>
</html>
`;

const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Begins a session with what the provider says of the person, and leads to the console. */
export const finishOidc = publicRoute({
  method: "GET",
  path: "/console/oidc/callback",
  docs: {
    operation: "finishOidcSignIn",
    tag: "Console",
    summary: "Come back from the identity provider",
    description:
      "For browsers: begins a session with the code in the URL. Without a provider in the settings: 404.",
    answers: {
      200: { description: "A page that leads to the console, with the cookie.", contentType: "text/html" },
      303: { description: "The sign-in failed: to `/console#error=` and a code.", contentType: "text/html" },
    },
    errors: ["not_found"],
  },
  handle({ ctx }, app) {
    return withProvider(ctx, app, async (oidc) => {
      const transaction = takeTransactionCookie(ctx, new URLSearchParams(ctx.querystring).get("state"));
      writeNewSession(ctx, await oidc.complete({ transaction, query: ctx.querystring }, ctx.ip));
      ctx.set("content-security-policy", policy);
      ctx.type = "text/html; charset=utf-8";
      ctx.body = page;
    });
  },
});
