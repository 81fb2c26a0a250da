/**
 * Signs members in to the console through an OpenID Connect provider: sends the browser there, verifies what it brings back, and finds
 * or creates the member that the provider means.
 */
import { createSecretFilter, hashSecret } from "../../credentials/secret.js";
import { retryOnConflict } from "../../audit/audited-change.js";
import { HearthError } from "../../../core/errors.js";
import type { Logger } from "../../../core/logger.js";
import type { TeamStore } from "../../teams/store.js";
import type { SignInAttempts } from "../attempts.js";
import type { FailedSignIns } from "../failed-sign-ins.js";
import { commitSession, prepareSession, refuseBlockedTeam } from "../new-session.js";
import type { NewSession } from "../../sessions/session.js";
import { prepareMember, type OidcMemberDeps } from "./member.js";
import { readPerson, type Person } from "./person.js";
import { findPlace, type GroupRule } from "./place.js";
import { createProvider, type Provider, type ProviderSettings } from "./provider.js";
import { isFailure, OidcRefusal } from "./refusal.js";
import { createTransactions, transactionMs, type Transaction, type Transactions } from "./transactions.js";

export interface OidcSettings extends ProviderSettings {
  /** What the console calls the provider. */
  readonly name: string;
  readonly groups: readonly GroupRule[];
}

/** A sign-in that has begun. */
export interface BegunOidcSignIn {
  /** Where the browser goes. */
  readonly url: URL;
  /** What the browser keeps in a cookie until it comes back, for which state, and how long. */
  readonly transaction: string;
  readonly state: string;
  readonly maxAgeMs: number;
}

interface OidcCallback {
  /** The text of the cookie; null: there is none. */
  readonly transaction: string | null;
  /** The query of the URL. */
  readonly query: string;
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

interface OidcDeps extends OidcMemberDeps {
  readonly teams: TeamStore;
  readonly attempts: SignInAttempts;
  readonly failures: FailedSignIns;
  readonly logger: Logger;
}

interface Parts extends OidcDeps {
  readonly settings: OidcSettings;
  readonly provider: Provider;
  readonly transactions: Transactions;
}

export function createOidcSignIn(deps: OidcDeps, settings: OidcSettings) {
  const { clock, random } = deps;
  const parts: Parts = {
    ...deps,
    settings,
    provider: createProvider(settings, clock),
    transactions: createTransactions(clock, random, settings.clientSecret),
  };
  const report = createReport(parts);
  return {
    name: settings.name,
    /** @throws OidcRefusal `rate_limited` or `provider_unavailable` */
    async begin(redirectUri: string, address: string): Promise<BegunOidcSignIn> {
      // What begins is no failure, but who has failed too often does not begin.
      beginAttempt(deps, address)();
      const { transaction, text } = parts.transactions.begin(redirectUri);
      const url = await parts.provider.authorizationUrl(transaction).catch((thrown: unknown) => {
        throw report(thrown);
      });
      return { url, transaction: text, state: transaction.state, maxAgeMs: transactionMs };
    },
    /** Begins a session when the browser has come back. @throws OidcRefusal */
    async complete(callback: OidcCallback, address: string): Promise<NewSession> {
      const succeed = beginAttempt(deps, address);
      try {
        const begun = await complete(parts, callback, address);
        succeed();
        return begun;
      } catch (thrown) {
        const refusal = report(thrown);
        if (!(refusal instanceof OidcRefusal && isFailure(refusal))) succeed();
        else await record(deps, refusal, address);
        throw refusal;
      }
    },
  };
}

function beginAttempt({ attempts }: OidcDeps, address: string): () => void {
  try {
    return attempts.begin({ address, email: null });
  } catch (thrown) {
    const isLimited = thrown instanceof HearthError && thrown.kind === "rate_limited";
    throw isLimited ? new OidcRefusal("rate_limited", { cause: thrown }) : thrown;
  }
}

async function complete(
  deps: Parts,
  { transaction: text, query }: OidcCallback,
  address: string,
): Promise<NewSession> {
  const { settings, provider, transactions, teams } = deps;
  const transaction = transactions.read(text, new URLSearchParams(query).get("state"));
  await useOnce(deps, transaction);
  const { issuer, claims } = await provider.claims(transaction, query);
  const person = readPerson(issuer, claims, settings.groupsClaim);
  const place = findPlace(person, settings.groups, await teams.list());
  // Two first sign-ins of a person at the same time create one member.
  return retryOnConflict(async () => {
    const { member, writes } = await prepareMember(deps, person, place);
    await refuseBlockedTeam(deps, member).catch((thrown: unknown) => {
      const isBlocked = thrown instanceof HearthError && thrown.kind === "permission_denied";
      throw isBlocked ? blocked(person) : thrown;
    });
    const begun = prepareSession(deps, member, { method: "oidc", address });
    return commitSession(deps, begun, [...writes, ...begun.writes]);
  });
}

/** Marks a sign-in as used, for all servers of the database. @throws OidcRefusal `expired` when it is used already. */
async function useOnce(
  { identities, writes, clock }: Parts,
  { state, expireTime }: Transaction,
): Promise<void> {
  const uses = identities.useWrites(hashSecret(state), { expireTime, now: clock.now() });
  await writes.commit(uses).catch((thrown: unknown) => {
    const isUsed = thrown instanceof HearthError && thrown.kind === "conflict";
    throw isUsed ? new OidcRefusal("expired") : thrown;
  });
}

function blocked({ subject }: Person): OidcRefusal {
  return new OidcRefusal("team_blocked", { subject });
}

function record({ failures }: OidcDeps, { reason, details }: OidcRefusal, address: string): Promise<void> {
  const { subject, member = null } = details;
  return failures.record("oidc", member, { address, reason, subject: subject?.slice(0, 255) });
}

/** How much is logged: groups, characters of a text, and causes of an error. */
const loggedMax = { groups: 20, characters: 200, causes: 4 } as const;

/**
 * Returns a function that logs why a sign-in did not succeed, for the operator, and returns the error. Errors of the library have
 * answers and codes in their fields, so that only the named ones are logged.
 */
function createReport({ logger, settings }: Parts): (thrown: unknown) => unknown {
  const { clientSecret } = settings;
  const withoutSecrets = createSecretFilter(clientSecret === null ? [] : [clientSecret]);
  const text = (value: string): string => withoutSecrets(value).slice(0, loggedMax.characters);
  return (thrown) => {
    if (!(thrown instanceof OidcRefusal)) return thrown;
    const { subject, groups, cause } = thrown.details;
    const fields = {
      reason: thrown.reason,
      subject: subject === undefined ? undefined : text(subject),
      groups: groups?.slice(0, loggedMax.groups).map(text),
      problem: cause instanceof Error ? listCauses(cause).map(text).join(": ") : undefined,
    };
    logger.warn(fields, "a sign-in through the identity provider did not succeed");
    return thrown;
  };
}

/** Returns the messages of an error and of its causes, with the provider's code. */
function listCauses(error: Error, depth = 0): readonly string[] {
  const { message, cause } = error;
  const own = "error" in error && typeof error.error === "string" ? `${message} (${error.error})` : message;
  return cause instanceof Error && depth < loggedMax.causes ? [own, ...listCauses(cause, depth + 1)] : [own];
}
