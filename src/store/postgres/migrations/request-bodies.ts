import { requestBodies } from "../../migrations/0031-0040/0035-request-bodies.js";
import type { Migration } from "../../migrations/migration.js";
import { translated } from "./translate.js";

/** Adds what requests read and write; SQLite has the same. */
export const requestBodiesOfPostgres: Migration = [
  ...translated(requestBodies.filter((statement) => !statement.startsWith("create trigger"))),
  `create function request_bodies_add() returns trigger language plpgsql as $$
begin
  update request_bodies_total set bytes = bytes + new.bytes;
  return null;
end $$`,
  `create trigger request_bodies_added after insert on request_bodies for each row execute function request_bodies_add()`,
  `create function request_bodies_subtract() returns trigger language plpgsql as $$
begin
  update request_bodies_total set bytes = bytes - old.bytes;
  return null;
end $$`,
  `create trigger request_bodies_deleted after delete on request_bodies for each row execute function request_bodies_subtract()`,
  `create function runs_delete_bodies() returns trigger language plpgsql as $$
begin
  delete from request_bodies where run_id = old.id;
  return null;
end $$`,
  `create trigger runs_deleted_with_bodies after delete on runs for each row execute function runs_delete_bodies()`,
];
