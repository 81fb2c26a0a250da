/** The cookie of a session of the console. */
import type { Context } from "./context.js";

/** The only path to which browsers send the cookie; `publicUrl` may have a path before it. */
const consolePath = "/console";
/** Longer values are no secrets of sessions. */
const secretCharactersMax = 128;

/** Returns the name of a cookie. Browsers share cookies between the ports of a host, where several servers can run. */
export function cookieName({ host }: Context, name = "hearth-console"): string {
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
    path: ctx.state.basePath + consolePath,
    maxAge,
    httpOnly: true,
    sameSite: "strict",
    secure: ctx.secure,
    overwrite: true,
  });
}
