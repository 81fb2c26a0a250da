/** The part of the composition root that builds the accounts of a server: the accounts of commands, and how members sign in to the console. */
import { createSignInAttempts } from "../accounts/sign-in/attempts.js";
import { createFailedSignIns } from "../accounts/sign-in/failed-sign-ins.js";
import { createOidcSignIn, type OidcSettings } from "../accounts/sign-in/oidc/oidc-sign-in.js";
import type { PasswordCost } from "../accounts/sign-in/passwords.js";
import { createSignIn } from "../accounts/sign-in/sign-in.js";
import type { Config } from "../config/config.js";
import type { Logger } from "../core/logger.js";
import type { ServerAccounts } from "../http/server/app-context.js";
import { buildAccounts, type AccountDeps } from "./accounts.js";

export interface AccountOverrides {
  /** What the hash of a new password costs; undefined: the default. */
  readonly passwordCost?: PasswordCost;
}

/** Builds the services; the limits of sign-ins by password and of those through a provider are the same. */
export function buildServerAccounts(
  config: Config,
  deps: AccountDeps & AccountOverrides & { readonly logger: Logger },
): ServerAccounts {
  const shared = { attempts: createSignInAttempts(deps.clock), failures: createFailedSignIns(deps) };
  const settings = toOidcSettings(config);
  return {
    ...buildAccounts(config, deps),
    signIn: createSignIn({ ...deps, ...shared }),
    oidc: settings === null ? null : createOidcSignIn({ ...deps, ...shared }, settings),
  };
}

/** Returns the provider of the settings; null when there is none. */
function toOidcSettings(config: Config): OidcSettings | null {
  const { oidcIssuer, oidcClientId } = config;
  if (oidcIssuer === null || oidcClientId === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    name: config.oidcName,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    groups: config.oidcGroups,
  };
}
