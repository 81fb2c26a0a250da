import { OidcRefusal } from "../../../accounts/sign-in/oidc/refusal.js";
import type { OidcSignIn } from "../../../accounts/sign-in/oidc/oidc-sign-in.js";
import type { Context } from "../../server/context.js";
import type { AppContext } from "../../server/app-context.js";
import { noSuchPath } from "../../server/no-such-path.js";

/**
 * Answers a request of a browser on its way to the identity provider or back. A sign-in that does not succeed leads to the console with
 * a code: no text of the provider reaches a page.
 * @throws HearthError `not_found` when no provider is configured.
 */
export async function withProvider(
  ctx: Context,
  { accounts: { oidc } }: AppContext,
  answer: (oidc: OidcSignIn) => Promise<void>,
): Promise<void> {
  if (oidc === null) throw noSuchPath();
  // The URL of a callback has a code, which no other page should learn.
  ctx.set({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  try {
    await answer(oidc);
  } catch (thrown) {
    if (!(thrown instanceof OidcRefusal)) throw thrown;
    ctx.status = 303;
    ctx.redirect(`/console#error=${thrown.reason}`);
  }
}
