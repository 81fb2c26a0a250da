import type { Authenticator } from "../../accounts/authentication/authenticate-key.js";
import type { ManagerAuthenticator } from "../../accounts/authentication/authenticate-manager.js";
import { readCredential } from "../../accounts/authentication/read-credential.js";
import type { Principal } from "../../accounts/keys/api-key.js";
import type { Manager } from "../../accounts/management-keys/management-key.js";
import type { Context } from "../context.js";

/**
 * Authenticates the API key of a request. @param keyless the key of a request that presents none
 * @throws HearthError `unauthenticated`, `bad_credential` or `permission_denied`.
 */
export async function authenticate(
  ctx: Context,
  authenticator: Authenticator,
  keyless: string | null,
): Promise<Principal> {
  const principal = await authenticator.authenticate(readCredential(ctx.req.headers) ?? keyless, ctx.ip);
  ctx.state.principal = principal;
  return principal;
}

/** Authenticates the management key of a request. @throws the same errors as `authenticate`. */
export async function authenticateManager(ctx: Context, managers: ManagerAuthenticator): Promise<Manager> {
  const manager = await managers.authenticate(readCredential(ctx.req.headers), ctx.ip);
  ctx.state.manager = manager;
  return manager;
}
