/** The session of the member who is signed in. */
import type { z } from "zod";
import type { signInWaysSchema } from "../../http/console/sign-in.js";
import type { sessionSchema } from "../../http/console/present.js";
import { get, request } from "../lib/client.js";

export type Session = z.infer<typeof sessionSchema>;

export type SignInWays = z.infer<typeof signInWaysSchema>;

/** Returns the ways in which this server lets members sign in. */
export function getSignInWays(signal?: AbortSignal): Promise<SignInWays> {
  return get("/sign-in", {}, signal);
}

export interface Credentials {
  readonly email?: string;
  readonly password?: string;
  /** The secret of a sign-in link. */
  readonly link?: string;
}

export function getSession(signal?: AbortSignal): Promise<Session> {
  return get("/session", {}, signal);
}

export function signIn(credentials: Credentials): Promise<Session> {
  return request("POST", "/sign-in", { body: credentials });
}

export function signOut(): Promise<unknown> {
  return request("DELETE", "/session");
}

export function signOutEverywhere(): Promise<unknown> {
  return request("DELETE", "/sessions");
}

export function setPassword(passwords: {
  readonly currentPassword: string;
  readonly password: string;
}): Promise<Session> {
  return request("PUT", "/password", { body: passwords });
}
