/** Reads what a provider says of a person. */
import { HearthError } from "../../../core/errors.js";
import { checkEmail, checkPersonName } from "../../field-rules.js";
import { OidcRefusal } from "./refusal.js";

/** TokenClaims of an ID token and of the user info endpoint. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A person, as a provider knows them. */
export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  /** Whether the provider says that the address is theirs; false: it does not say. */
  readonly hasVerifiedEmail: boolean;
  /** May be empty. */
  readonly givenName: string;
  readonly familyName: string;
  readonly groups: readonly string[];
}

/**
 * Returns the person of the claims.
 * @throws OidcRefusal `email_missing`, or `email_unverified` when the provider says that the address is not verified.
 */
export function readPerson(issuer: string, claims: TokenClaims, groupsClaim: string): Person {
  const subject = readText(claims["sub"]);
  const groups = readGroups(claims, groupsClaim);
  const [email, isVerified] = [readText(claims["email"]), claims["email_verified"]];
  if (!isValid(() => checkEmail(email))) throw new OidcRefusal("email_missing", { subject, groups });
  // Some providers send texts.
  const hasVerifiedEmail = isVerified === true || isVerified === "true";
  if (isVerified !== undefined && !hasVerifiedEmail)
    throw new OidcRefusal("email_unverified", { subject, groups });
  return {
    issuer,
    subject,
    email,
    hasVerifiedEmail,
    givenName: readName("givenName", claims["given_name"]),
    familyName: readName("familyName", claims["family_name"]),
    groups,
  };
}

/** Whether the claims have what a sign-in needs, so that the user info endpoint need not be asked. */
export function isComplete(claims: TokenClaims, groupsClaim: string): boolean {
  return claims["email"] !== undefined && valueAt(claims, groupsClaim) !== undefined;
}

/** Returns the groups: the entries of a list, or a single one. */
function readGroups(claims: TokenClaims, groupsClaim: string): readonly string[] {
  const value = valueAt(claims, groupsClaim);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((group) => typeof group === "string");
}

/** Returns the claim with this name, or the value to which a name with dots leads, as in `realm_access.roles`. */
function valueAt(claims: TokenClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as TokenClaims)[part];
  }
  return value;
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A name that no member may have is left out: it is no reason to refuse a person. */
function readName(field: "givenName" | "familyName", value: unknown): string {
  const name = readText(value);
  return isValid(() => checkPersonName(field, name)) ? name : "";
}

function isValid(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (thrown) {
    if (thrown instanceof HearthError && thrown.kind === "invalid_value") return false;
    throw thrown;
  }
}
