import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { temporaryFolder } from "../../kit/folder.js";

const rounds = 50;

/** Rounds after which what is garbage is expected to be collected; one is often enough. */
const roundsMax = 200;

/** Collects garbage until the finalizer of an object that nothing keeps has run, and once more after it. */
async function collect(registry: FinalizationRegistry<string>, collected: readonly string[]): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  abandon(registry);
  for (let round = 0; round < roundsMax && collected.length === 0; round += 1) {
    gc();
    await new Promise(setImmediate);
  }
  gc();
  await new Promise(setImmediate);
}

/** A function of its own: the frame of its caller could keep the object. */
function abandon(registry: FinalizationRegistry<string>): void {
  registry.register({}, "garbage");
}

type Prepare = (this: Sqlite.Database, text: string) => object;

/**
 * Opens a database, uses it and closes it again. No spies: they would keep what they see.
 * @returns how many statements it has prepared
 */
async function useDatabase(registry: FinalizationRegistry<string>): Promise<number> {
  const original = {
    prepare: Reflect.get(Sqlite.prototype, "prepare") as Prepare,
    pragma: Reflect.get(Sqlite.prototype, "pragma") as Prepare,
  };
  let prepared = 0;
  const prepare: Prepare = function (text) {
    const statement = original.prepare.call(this, text);
    prepared += 1;
    registry.register(statement, text);
    registry.register(this, "connection");
    return statement;
  };
  // It prepares a statement that JavaScript never sees.
  const pragma = (text: string) => expect.unreachable(`pragma ${text}`);
  Object.assign(Sqlite.prototype, { prepare, pragma });
  try {
    const database = await openDatabase(join(temporaryFolder(), "hearth.db"));
    for (let round = 0; round < rounds; round += 1) {
      const query = sql`update teams set name = ${`t${round}`} where id = ${String(round)}`.compile(
        database.kysely,
      );
      await database.commit([{ query, rows: null }], true);
      await sql`select count(*) from runs`.execute(database.kysely);
      database.erase();
    }
    await database.close();
  } finally {
    Object.assign(Sqlite.prototype, original);
  }
  return prepared;
}

it("neither a connection nor its prepared statements are left to the garbage collector, which would end the process in Node.js 24.19 and later", async () => {
  const collected: string[] = [];
  const registry = new FinalizationRegistry<string>((text) => collected.push(text));
  expect(await useDatabase(registry)).toBeGreaterThan(2);
  await collect(registry, collected);
  expect(collected).toEqual(["garbage"]);
});
