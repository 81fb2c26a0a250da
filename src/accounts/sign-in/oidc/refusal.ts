import type { Member } from "../../principals/member.js";

/** Why a sign-in through the provider did not succeed; the console has a sentence for each. */
export type OidcError =
  | "rate_limited" // too many sign-ins have failed from the address
  | "provider_unavailable" // the provider does not answer, or not as it must
  | "provider_refused" // the provider, or the person there, said no
  | "expired" // no sign-in was begun in this browser, it took too long, or it has been used
  | "sign_in_failed" // what the provider answered could not be verified
  | "email_missing" // the provider gave no usable e-mail address
  | "email_unverified" // the provider has not verified it
  | "no_group" // the person has none of the groups of the configuration
  | "unknown_team" // the configuration names a team that does not exist
  | "member_removed" // the member was removed from the server
  | "linked_otherwise" // the e-mail belongs to a member with another identity
  | "last_owner" // the groups would take the last owner from a team or from the server
  | "too_many_members"
  | "team_blocked";

/** What the log and the audit log know of a sign-in that did not succeed. */
interface OidcRefusalDetails {
  readonly cause?: unknown;
  readonly member?: Member;
  /** Identifies the person at the provider. */
  readonly subject?: string;
  readonly groups?: readonly string[];
}

/** A sign-in through the provider did not succeed. */
export class OidcRefusal extends Error {
  readonly reason: OidcError;
  readonly details: OidcRefusalDetails;

  constructor(reason: OidcError, details: OidcRefusalDetails = {}) {
    super(`a sign-in through the identity provider did not succeed: ${reason}`, { cause: details.cause });
    this.reason = reason;
    this.details = details;
  }
}

/** Errors of which neither the person nor the browser is the cause: they count as no attempt. */
const harmless: readonly OidcError[] = ["rate_limited", "provider_unavailable", "provider_refused"];

/** Whether a refusal counts as a failed sign-in. */
export function isFailure({ reason }: OidcRefusal): boolean {
  return !harmless.includes(reason);
}
