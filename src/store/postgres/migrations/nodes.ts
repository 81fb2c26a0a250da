import { nodes } from "../../migrations/0031-0040/0040-nodes.js";
import type { Migration } from "../../migrations/migration.js";
import { translated } from "./translate.js";

/** Adds the servers that share the database; each sets its number in its connections, so that what it begins has it. */
export const nodesOfPostgres: Migration = [
  ...translated(nodes),
  `create function this_node() returns bigint language sql stable
  return cast(nullif(current_setting('hearth.node', true), '') as bigint)`,
  `alter table runs alter column node_id set default this_node()`,
];
