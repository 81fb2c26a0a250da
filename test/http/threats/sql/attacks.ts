/** Texts that have a meaning in SQL, and what shows that they were values only. */
import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { expect } from "vitest";
import type { Finished } from "../../../kit/folder.js";
import { startServer, type ManagedServer } from "../../../kit/server.js";
import { watchQueries, type RunQuery } from "./queries.js";
import { createTestTeam, type TestTeam } from "../world.js";

/** A unique mark in texts that have a meaning in SQL. */
export const mark = "zq7mark";
export const attacks = [
  `' OR '1'='1' -- ${mark}`,
  `'; DROP TABLE teams; --${mark}`,
  `" OR ""="${mark}`,
  `1) OR (1=1 ${mark}`,
  `%' UNION SELECT hash FROM api_keys -- ${mark}`,
  `x' || (select hash from management_keys) || '${mark}`,
  `\\'; attach database '/tmp/${mark}' as x; --`,
  `${mark}\u0000'; delete from runs; --`,
];

export interface AttackedServer {
  readonly server: ManagedServer;
  readonly side: TestTeam;
  /** Statements that ran; the test empties it. */
  readonly queries: RunQuery[];
  /** Returns the tables, indexes and triggers of the database. */
  schema(): string;
  /** Returns every row of the account tables. */
  dump(): string;
  /** Checks that statements ran and that none contains text of an attack. */
  expectOnlyValues(): void;
  /** Sends a request. @returns its status. */
  send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<number>;
}

/** Starts a server whose statements are recorded, with one team. */
export async function startAttackedServer(finished: Finished): Promise<AttackedServer> {
  const queries = watchQueries(finished);
  const server = await startServer({ accounts: "managed", finished });
  const read = (statements: Readonly<Record<string, string>>): string => {
    const database = new Sqlite(join(server.data, "hearth.db"), { readonly: true });
    const all = Object.entries(statements).map(([name, sql]) => [name, database.prepare(sql).all()]);
    database.close();
    return JSON.stringify(all);
  };
  const tables = ["teams", "api_keys", "management_keys", "audit_events", "ledger_balances"];
  return {
    server,
    side: await createTestTeam(server, "ours"),
    queries,
    schema: () => read({ schema: "select type, name, sql from sqlite_schema order by name" }),
    dump: () => read(Object.fromEntries(tables.map((table) => [table, `select * from ${table}`]))),
    expectOnlyValues() {
      expect(queries.length).toBeGreaterThan(0);
      expect(queries.filter(isAttacked)).toEqual([]);
    },
    async send(method, path, headers, body) {
      const response = await fetch(server.url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      await response.text();
      return response.status;
    },
  };
}

export function isAttacked({ sql }: RunQuery): boolean {
  return sql.includes(mark) || /drop table|attach|union select/i.test(sql);
}

/** Returns copies of the body with each text and each name replaced in turn. */
export function attackedBodies(body: unknown, attack: string): readonly unknown[] {
  if (typeof body === "string") return [attack];
  if (typeof body !== "object" || body === null) return [];
  if (Array.isArray(body)) {
    const list: readonly unknown[] = body;
    return list.flatMap((item, at) => attackedBodies(item, attack).map((changed) => list.with(at, changed)));
  }
  const entries = Object.entries(body);
  return [
    { ...body, [attack]: attack },
    ...entries.flatMap(([name, value]) =>
      attackedBodies(value, attack).map((changed) => ({ ...body, [name]: changed })),
    ),
  ];
}
