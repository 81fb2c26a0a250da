/** What the codes of `/console#error=` mean, with which a sign-in through the identity provider leads back. */
const sentences: Readonly<Record<string, string>> = {
  provider_unavailable:
    "The identity provider does not answer. Please try again later, or sign in with a password.",
  provider_refused: "The identity provider has refused the sign-in.",
  expired: "The sign-in took too long, or was begun elsewhere. Please try again.",
  sign_in_failed:
    "The answer of the identity provider could not be verified. Please ask the operator of this server.",
  email_missing:
    "The identity provider gives no e-mail address of yours. Please ask the operator of this server.",
  email_unverified: "The identity provider has not verified your e-mail address.",
  no_group: "You are in none of the groups that may sign in here. Please ask the operator of this server.",
  unknown_team: "The team of your group does not exist here. Please ask the operator of this server.",
  member_removed: "You have been removed from this server. Please ask its operator.",
  linked_otherwise:
    "Your e-mail address belongs to a member with another identity. Please ask the operator of this server.",
  last_owner:
    "Your groups would leave this server or a team without an owner. Please ask the operator of this server.",
  too_many_members: "This server has no place for another member.",
  team_blocked: "Your team is blocked. Please ask the operator of this server.",
  rate_limited: "Too many sign-ins have failed. Please try again later.",
};

/** Returns what to show for the part of the address after `#`; null if it is no error. */
export function providerError(hash: string): Error | null {
  const [, code] = /^#error=(\w+)$/.exec(hash) ?? [];
  return code === undefined
    ? null
    : new Error(sentences[code] ?? "The sign-in did not succeed. Please try again.");
}
