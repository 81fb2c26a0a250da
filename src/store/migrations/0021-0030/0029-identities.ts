import type { Migration } from "../migration.js";

/**
 * Adds the identities with which members sign in to the console through an OpenID Connect provider. The row of a removed member stays,
 * so that the provider does not bring them back.
 */
export const identities: Migration = [
  `create table member_identities (
  issuer text not null,
  subject text not null,
  member_id text not null references members (id),
  is_managed integer not null check (is_managed in (0, 1)),
  create_time integer not null,
  primary key (issuer, subject)
) strict, without rowid`,
  `create unique index member_identities_by_member on member_identities (member_id, issuer)`,
];
