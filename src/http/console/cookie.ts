import type { Context } from "../context.js";

/** The only path to which browsers send the cookie. */
const path = "/console";
/** The path to which the identity provider sends the browser back. */
export const callbackPath = "/console/oidc/callback";
/** Longer values are no secrets of sessions. */
const secretCharactersMax = 128;

/** Longer values are no transactions of this server. */
const transactionCharactersMax = 4096;

/** Browsers share cookies between the ports of a host, where several servers can run. */
function cookieName({ host }: Context, name = "hearth-console"): string {
  const [, port = ""] = /:(\d+)$/.exec(host) ?? [];
  return port === "" ? name : `${name}-${port}`;
}

/** Returns the secret of the session that the cookie of a request has; null when it has none. */
export function readSessionCookie(ctx: Context): string | null {
  const value = ctx.cookies.get(cookieName(ctx)) ?? "";
  return value === "" || value.length > secretCharactersMax ? null : value;
}

/** Sets the cookie of a session. @param maxAgeMs how long the session lasts at most */
export function writeSessionCookie(ctx: Context, secret: string, maxAgeMs: number): void {
  set(ctx, secret, maxAgeMs);
}

export function clearSessionCookie(ctx: Context): void {
  set(ctx, "", 0);
}

function set(ctx: Context, value: string, maxAge: number): void {
  ctx.cookies.set(cookieName(ctx), value, {
    path,
    maxAge,
    httpOnly: true,
    sameSite: "strict",
    secure: ctx.secure,
    overwrite: true,
  });
}

/** Returns the transaction of a sign-in through the provider, and clears its cookie; null when there is none. */
export function takeTransactionCookie(ctx: Context): string | null {
  const value = ctx.cookies.get(cookieName(ctx, "hearth-oidc")) ?? "";
  writeTransactionCookie(ctx, "", 0);
  return value === "" || value.length > transactionCharactersMax ? null : value;
}

/**
 * Sets the cookie with which the browser comes back from the provider. It is Lax: the request that brings it back is a link of another
 * site, with which browsers send no Strict cookie.
 */
export function writeTransactionCookie(ctx: Context, text: string, maxAge: number): void {
  ctx.cookies.set(cookieName(ctx, "hearth-oidc"), text, {
    path: callbackPath,
    maxAge,
    httpOnly: true,
    sameSite: "lax",
    secure: ctx.secure,
    overwrite: true,
  });
}
