import type { Socket } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { moveDatabase } from "../../../src/backup/move-database.js";
import { openDatabase } from "../../../src/store/database.js";
import { moveToPostgres } from "../../../src/store/postgres/move.js";
import { systemClock } from "../../../src/system/clock.js";
import { openBeside } from "../../kit/databases/postgres/databases.js";

import { closing, rowsOf, world } from "./moved.js";

describe("M10: a move that is killed", () => {
  it("at any statement leaves a database that no server starts on, or an empty one, and goes on", async () => {
    const { config, file, url } = await world();
    const ask = async (text: string): Promise<number> => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(text);
      await client.end();
      return rows.length;
    };
    // The databases of tests have the schema already.
    for (const text of ["drop schema public cascade", "create schema public"]) await ask(text);
    // It is applied to the client that it is called on.
    // oxlint-disable-next-line typescript/unbound-method
    const { query } = pg.Client.prototype;
    onTestFinished(() => void (pg.Client.prototype.query = query));
    const seen: string[] = [];
    let left = 0;
    const counted = function (this: pg.Client, ...given: unknown[]): unknown {
      left -= 1;
      if (left === 0) {
        // As the end of the process does: what was not committed is gone.
        (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
        return Promise.reject(new Error("killed"));
      }
      return Reflect.apply(query, this, given);
    };
    const killedAt = async (statement: number): Promise<boolean> => {
      left = statement;
      pg.Client.prototype.query = counted as typeof query;
      try {
        await moveToPostgres({
          file,
          url,
          clock: systemClock,
          onProgress: () => undefined,
          verify: () => Promise.resolve(),
        });
        return false;
      } catch (thrown) {
        expect(String(thrown)).toMatch(/killed|terminated/i);
        return true;
      } finally {
        pg.Client.prototype.query = query;
      }
    };
    let statement = 1;
    while (await killedAt(statement)) {
      const tables = await ask(
        "select table_name from information_schema.tables where table_schema = 'public'",
      );
      seen.push(tables === 0 ? "empty" : "marked");
      if (tables > 0) await expect(openBeside(url)).rejects.toThrow("`hearth migrate` was interrupted");
      // Every statement of the first second, then ever fewer.
      statement += Math.max(1, Math.floor(statement / 12));
    }
    expect(new Set(seen)).toEqual(new Set(["empty", "marked"]));
    const [before, after] = [
      await closing(await openDatabase(file), rowsOf),
      await closing(await openBeside(url), rowsOf),
    ];
    expect(after).toEqual(before);
    await expect(moveDatabase(config, () => undefined)).rejects.toThrow(/it has data already/);
  });
});
