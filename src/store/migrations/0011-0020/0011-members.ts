import type { Migration } from "../migration.js";

/** Adds members. Removed members stay, so that the audit log can show who they were; their e-mail address is free again. */
export const members: Migration = [
  `create table members (
  id text primary key not null,
  team_id text references teams (id),
  email text not null,
  email_folded text not null,
  given_name text not null,
  family_name text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  create_time integer not null,
  remove_time integer
) strict`,
  `create unique index members_by_email on members (email_folded) where remove_time is null`,
  `create index members_by_team on members (team_id, create_time, id) where remove_time is null`,
];
