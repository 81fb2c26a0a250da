/** The cookies of sign-ins through the identity provider that a browser has begun. */
import type { BegunOidcSignIn } from "../../../accounts/sign-in/oidc/oidc-sign-in.js";
import type { Context } from "../../server/context.js";
import { cookieName } from "../../server/session-cookie.js";

/** The path of the pages that begin and end a sign-in through the provider: the only ones to which browsers send its cookie. */
const transactionPath = "/console/oidc";
/** Longer values are no transactions of this server. */
const transactionCharactersMax = 4096;
/** Sign-ins that a browser may have begun at a time. */
const transactionsMax = 10;

/** Returns the transaction of a sign-in through the provider that has this state, and clears its cookie; null when there is none. */
export function takeTransactionCookie(ctx: Context, state: string | null): string | null {
  const cookie = readTransactionCookies(ctx).find(({ id }) => state !== null && id === toId(state));
  if (cookie === undefined) return null;
  setTransactionCookie(ctx, cookie.name, "", 0);
  const { text } = cookie;
  return text === "" || text.length > transactionCharactersMax ? null : text;
}

/**
 * Sets a cookie with which the browser comes back from the provider. Each sign-in has its own, so that one tab does not end the sign-in of another;
 * beyond `transactionsMax` the oldest ones are cleared.
 */
export function writeTransactionCookie(
  ctx: Context,
  { transaction, state, maxAgeMs }: BegunOidcSignIn,
  now: number,
): void {
  const others = readTransactionCookies(ctx).toSorted((a, b) => b.time - a.time);
  for (const { name } of others.slice(transactionsMax - 1)) setTransactionCookie(ctx, name, "", 0);
  setTransactionCookie(
    ctx,
    `${transactionPrefix(ctx)}${now.toString(36)}.${toId(state)}`,
    transaction,
    maxAgeMs,
  );
}

interface TransactionCookie {
  readonly name: string;
  /** When its sign-in began. */
  readonly time: number;
  readonly id: string;
  readonly text: string;
}

function transactionPrefix(ctx: Context): string {
  return `${cookieName(ctx, "hearth-oidc")}.`;
}

/** Finds the cookie of a state. */
function toId(state: string): string {
  return state.slice(0, 16);
}

function readTransactionCookies(ctx: Context): readonly TransactionCookie[] {
  const prefix = transactionPrefix(ctx);
  return ctx
    .get("cookie")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .flatMap((pair) => {
      const [name = "", text = ""] = pair.split("=");
      const [, time, id] = /^([0-9a-z]{1,12})\.([\w-]{1,16})$/.exec(name.slice(prefix.length)) ?? [];
      return time === undefined || id === undefined
        ? []
        : [{ name, time: Number.parseInt(time, 36), id, text }];
    });
}

/** It is Lax: the request that brings the browser back is a link of another site, with which browsers send no Strict cookie. */
function setTransactionCookie(ctx: Context, name: string, text: string, maxAge: number): void {
  ctx.cookies.set(name, text, {
    path: ctx.state.basePath + transactionPath,
    maxAge,
    httpOnly: true,
    sameSite: "lax",
    secure: ctx.secure,
    overwrite: true,
  });
}
