import type { Migration } from "../migration.js";

/** Adds access groups, which are named lists of ACLs, and what a team allows its keys at most: null = everything. */
export const accessGroups: Migration = [
  `create table access_groups (
  name text primary key,
  description text not null,
  acls text not null,
  create_time integer not null,
  modify_time integer not null
) strict, without rowid`,
  `alter table teams add column acls text`,
];
