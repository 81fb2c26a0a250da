import type { Migration } from "../migration.js";

/**
 * Adds the form in which names of teams are compared, of which there is one. The next start of a server fills it in, and renames teams that
 * have the name of an older one: neither database can fold names as Hearth does.
 */
export const teamNames: Migration = [
  `alter table teams add column name_folded text`,
  `create unique index teams_by_name on teams (name_folded)`,
];
