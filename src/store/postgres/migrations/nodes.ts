import { nodes } from "../../migrations/0031-0040/0040-nodes.js";
import type { Migration } from "../../migrations/migration.js";
import { translated } from "./translate.js";

/** Adds the servers that share the database; each names itself in its connections, so that what it begins has its id. */
export const nodesOfPostgres: Migration = [
  ...translated(nodes),
  `create function this_node() returns bigint language sql stable
  return cast(nullif(current_setting('hearth.node', true), '') as bigint)`,
  `alter table runs alter column node_id set default this_node()`,
  `create function jobs_name_node() returns trigger language plpgsql as $$
begin
  new.node_id := case when new.lease_until is null then null else this_node() end;
  return new;
end $$`,
  `create trigger jobs_leased_by_node before update of lease_until on jobs for each row execute function jobs_name_node()`,
];
