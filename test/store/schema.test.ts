import { sql } from "kysely";
import { expect, it } from "vitest";
import { temporaryDatabase } from "./records.js";

it("migrates an empty file to the schema in schema.sql", async () => {
  const { kysely } = await temporaryDatabase();
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null order by tbl_name, type desc, name`.execute(kysely);
  const dump = rows.map((row) => `${row.sql};\n`).join("\n");
  await expect(dump).toMatchFileSnapshot("schema.sql");
});
