import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { expect, it, vi } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { temporaryFolder } from "../../harness.js";

const rounds = 50;

/** Collects garbage, and lets the finalizers run. */
async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round += 1) {
    gc();
    await new Promise(setImmediate);
  }
}

it("a server's connection leaves no prepared statement to the garbage collector, which ends the process in Node.js 24.19 and later", async () => {
  const collected: string[] = [];
  const registry = new FinalizationRegistry<string>((text) => collected.push(text));
  const prepare = Reflect.get(Sqlite.prototype, "prepare") as (this: Sqlite.Database, text: string) => object;
  const prepared = vi.spyOn(Sqlite.prototype, "prepare").mockImplementation(function (
    this: Sqlite.Database,
    text,
  ) {
    const statement = prepare.call(this, text);
    registry.register(statement, text);
    return statement as Sqlite.Statement<unknown[]>;
  });
  // It prepares a statement that JavaScript never sees.
  const pragma = vi.spyOn(Sqlite.prototype, "pragma");
  const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
  try {
    for (let round = 0; round < rounds; round += 1) {
      const query = sql`update teams set name = ${`t${round}`} where id = ${String(round)}`.compile(
        database.kysely,
      );
      database.commit([{ query, rows: null }], true);
      await sql`select count(*) from runs`.execute(database.kysely);
      database.erase();
    }
    registry.register({}, "garbage");
    await collect();
    expect(collected).toEqual(["garbage"]);
    expect(prepared.mock.calls.length).toBeGreaterThan(2);
    expect(pragma).not.toHaveBeenCalled();
  } finally {
    await database.close();
    vi.restoreAllMocks();
  }
});
