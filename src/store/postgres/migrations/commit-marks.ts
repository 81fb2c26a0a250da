import type { Migration } from "../../migrations/migration.js";

/**
 * What a transaction needs that is sent as a whole, with its commit: every connection has a row with the number of its last transaction
 * that was committed, and `commit_expect` fails where a statement has not changed as many rows as it must.
 */
export const commitMarksOfPostgres: Migration = [
  `create table commit_marks (
  connection text collate "C" primary key,
  mark bigint not null,
  time timestamptz not null
) with (fillfactor = 50)`,
  `create function commit_expect(changed bigint, expected bigint) returns void language plpgsql as $$
begin
  if changed <> expected then
    raise exception '% rows were changed instead of %', changed, expected using errcode = 'HR001';
  end if;
end $$`,
];
