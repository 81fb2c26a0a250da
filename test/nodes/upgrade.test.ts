import { startTwoManaged } from "./managed.js";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openServer, newPostgresUrl } from "../kit/databases/postgres/databases.js";
import { allAcls } from "../kit/server/management.js";

it("while servers are upgraded one by one, the older ones go on after the database was migrated, and none starts", async () => {
  const [first, second] = await startTwoManaged();
  const teamId = await first.createTeam();
  // What the migrations of a newer version may do: see src/store/migrations/README.md.
  await sql`alter table teams add column of_the_next_version text`.execute(first.database.kysely);
  await sql`create table of_the_next_version (id text)`.execute(first.database.kysely);
  await sql`update schema_version set version = version + 1`.execute(first.database.kysely);
  const key = await second.createKey(teamId, { acls: allAcls });
  const chat = { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello" }] };
  expect((await first.request("GET", "/v1/models", undefined, key.apiKey)).status).toBe(200);
  expect((await first.request("POST", "/v1/chat/completions", chat, first.apiKey)).status).toBe(200);
  const { rows } = await sql<{ readonly url: string }>`select current_database() as url`.execute(
    first.database.kysely,
  );
  const url = new URL(await newPostgresUrl());
  url.pathname = `/${rows[0]?.url}`;
  await expect(openServer(url.href)).rejects.toThrow(/newer version of Hearth/);
});
