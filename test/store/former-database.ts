/** A database of the last build with numbered migrations, and what it holds. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Sqlite from "better-sqlite3";
import { expect } from "vitest";
import { createApiKeyStore } from "../../src/accounts/keys/store.js";
import { createLedgerStore } from "../../src/accounts/money/store/ledger.js";
import { createTeamStore } from "../../src/accounts/teams/store.js";
import { createResponseStore } from "../../src/inference/responses/store/responses.js";
import { createRunStore } from "../../src/inference/run/store/runs.js";
import type { Database } from "../../src/store/database.js";
import { readSchemaSource, type SchemaSource } from "../../src/store/schema/source.js";
import { plantFiles } from "../kit/folder.js";

/** Returns the SQL that makes the database. */
export function readFormerDatabase(kind: "sqlite" | "postgres"): string {
  return readFileSync(new URL(`../fixtures/databases/schema-48.${kind}.sql`, import.meta.url), "utf8");
}

/** Returns what makes the newest schema, with further migrations. @param files by their names */
export function withMigrations(
  kind: "sqlite" | "postgres",
  files: Readonly<Record<string, string>>,
): SchemaSource {
  const further = readSchemaSource(kind, pathToFileURL(`${plantFiles(files)}/`));
  const source = readSchemaSource(kind);
  return { ...source, migrations: [...source.migrations, ...further.migrations] };
}

/** Writes the SQLite file. @param change SQL that is executed in it afterwards */
export function writeFormerDatabase(file: string, change = ""): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(`begin; ${readFormerDatabase("sqlite")} ${change}; commit`);
  sqlite.close();
}

/** Checks that the stores read what the build has stored. */
export async function expectFormerContent(database: Database): Promise<void> {
  expect(await createTeamStore(database).list()).toMatchObject([
    { id: "team-1", name: "default", billing: "prepaid", blocked: false, weight: 7, keepsBodies: true },
  ]);
  const keys = createApiKeyStore(database);
  expect(await keys.list(null)).toMatchObject([
    {
      ...{ id: "key-1", name: "laptop \u{1f600}", blocked: true, disabled: false, qpm: 60, tpm: 1000 },
      ...{
        acls: ["api-key:endpoint:*", "api-key:model:*"],
        ipRanges: ["10.0.0.0/8"],
        previousExpireTime: 9000,
      },
    },
    { id: "key-2", blocked: false, qpm: null, ipRanges: null, previousHash: null },
  ]);
  expect(await keys.findByHash(new Uint8Array(32).fill(8))).toMatchObject({
    key: { id: "key-1", hash: new Uint8Array(32).fill(7) },
    team: { id: "team-1", acls: ["api-key:model:*"], keepsBodies: true },
    teamHas: { budgets: false, credit: 4928 },
  });
  const ledger = createLedgerStore(database);
  expect(await ledger.verify()).toEqual([]);
  expect(await ledger.readBalances("team-1")).toMatchObject({ credit: 4928n, reserved: 0n, revenue: 72n });
  const responses = createResponseStore(database);
  expect(await responses.find("resp-1", "team-1")).toMatchObject({ status: "completed", background: true });
  expect(await responses.input("resp-1", "team-1")).toEqual([{ id: "in", body: '{"id":"in"}' }]);
  expect([...((await responses.events("resp-1", "team-1")) ?? [])]).toEqual([0, 255, 128]);
  expect(await createRunStore(database).list(9)).toMatchObject([
    { id: "run-1", state: "completed", costTicks: 72, reservedTicks: 100, usage: { promptTokens: 9 } },
  ]);
}
