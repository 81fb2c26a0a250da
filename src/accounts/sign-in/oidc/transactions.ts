/**
 * What the server must know again when a browser comes back from the provider. It is in a cookie, signed with a key that comes from the
 * client's secret, so that every server of a database accepts it; visitors who begin sign-ins cannot fill the memory of the server, or
 * push the sign-ins of others out.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../../core/clock.js";
import type { Random } from "../../../core/random.js";
import { OidcRefusal } from "./refusal.js";

/** How long a sign-in at the provider may take. */
export const transactionMs = 10 * 60 * 1000;
const secretBytes = 32;

const schema = z.object({
  /** Comes back in the URL, and shows that the provider answers this browser. */
  state: z.string(),
  /** Comes back in the ID token, and shows that it was issued for this sign-in. */
  nonce: z.string(),
  /** Shows the provider that the code is exchanged by who asked for it (PKCE, RFC 7636). */
  verifier: z.string(),
  redirectUri: z.string(),
  expireTime: z.number(),
});

export type Transaction = z.infer<typeof schema>;

export type Transactions = ReturnType<typeof createTransactions>;

/** @param clientSecret null: without one, only this process knows the key */
export function createTransactions(clock: Clock, random: Random, clientSecret: string | null) {
  const key =
    clientSecret === null
      ? random.bytes(secretBytes)
      : Buffer.from(hkdfSync("sha256", clientSecret, "", "hearth sign-in transactions", secretBytes));
  const sign = (payload: string): Buffer => createHmac("sha256", key).update(payload).digest();
  const secret = (): string => Buffer.from(random.bytes(secretBytes)).toString("base64url");
  return {
    /** Begins a transaction. @returns it and its text for the cookie. */
    begin(redirectUri: string): { readonly transaction: Transaction; readonly text: string } {
      const expireTime = clock.now() + transactionMs;
      const transaction = { state: secret(), nonce: secret(), verifier: secret(), redirectUri, expireTime };
      const payload = Buffer.from(JSON.stringify(transaction)).toString("base64url");
      return { transaction, text: `${payload}.${sign(payload).toString("base64url")}` };
    },
    /**
     * Returns the transaction of a cookie. The caller sees to it that it is used once.
     * @param text null: there is no cookie
     * @param state of the URL
     * @throws OidcRefusal `expired` when it was not begun here for this state, or has expired.
     */
    read(text: string | null, state: string | null): Transaction {
      const [payload = "", signature = ""] = (text ?? "").split(".");
      if (!isEqual(Buffer.from(signature, "base64url"), sign(payload))) throw new OidcRefusal("expired");
      const transaction = schema.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
      const isOfState = isEqual(Buffer.from(state ?? ""), Buffer.from(transaction.state));
      if (!isOfState || transaction.expireTime <= clock.now()) throw new OidcRefusal("expired");
      return transaction;
    },
  };
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
