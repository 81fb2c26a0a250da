import type { Migration } from "../migration.js";

/**
 * Groups decide the place of every member who has an identity, and what members of a team could sign in with before they were linked ends:
 * others may have set it. Adds the sign-ins through the provider that a browser has come back from, so that each works once, whichever
 * server it comes back to.
 */
export const signInStates: Migration = [
  `alter table member_identities drop column is_managed`,
  `update member_sign_ins set password = null where member_id in (
  select member_id from member_identities join members on members.id = member_id where team_id is not null)`,
  `delete from sign_in_links where member_id in (
  select member_id from member_identities join members on members.id = member_id where team_id is not null)`,
  `create table used_sign_ins (
  state_hash blob primary key not null check (length(state_hash) = 32),
  expire_time integer not null
) strict, without rowid`,
  `create index used_sign_ins_by_expiry on used_sign_ins (expire_time)`,
];
