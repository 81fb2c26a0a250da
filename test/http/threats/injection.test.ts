import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { someOf } from "../../random-cases.js";
import { startSharedServer, type ManagedServer } from "../auth/managed.js";
import { watchQueries, type RunQuery } from "./queries.js";
import {
  credentialOf,
  keyRoutes,
  createObject,
  routeName,
  createTestTeam,
  pathWith,
  takesBody,
  type TestTeam,
} from "./world.js";

/** A unique mark in texts that have a meaning in SQL. */
const mark = "zq7mark";
const attacks = [
  `' OR '1'='1' -- ${mark}`,
  `'; DROP TABLE teams; --${mark}`,
  `" OR ""="${mark}`,
  `1) OR (1=1 ${mark}`,
  `%' UNION SELECT hash FROM api_keys -- ${mark}`,
  `x' || (select hash from management_keys) || '${mark}`,
  `\\'; attach database '/tmp/${mark}' as x; --`,
  `${mark}\u0000'; delete from runs; --`,
];

let shared: { server: ManagedServer; close: () => Promise<void> };
let side: TestTeam;
let queries: RunQuery[];
const restore: (() => void)[] = [];
beforeAll(async () => {
  queries = watchQueries((cleanUp) => void restore.push(cleanUp));
  shared = await startSharedServer();
  side = await createTestTeam(shared.server, "ours");
});
afterAll(async () => {
  await shared.close();
  for (const undo of restore) undo();
});
beforeEach(() => void (queries.length = 0));

function read(queries: Readonly<Record<string, string>>): string {
  const database = new Sqlite(join(shared.server.data, "hearth.db"), { readonly: true });
  const all = Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql).all()]);
  database.close();
  return JSON.stringify(all);
}

const schema = () => read({ schema: "select type, name, sql from sqlite_schema order by name" });

/** Returns every row of the account tables. */
const dump = () =>
  read(
    Object.fromEntries(
      ["teams", "api_keys", "management_keys", "audit_events", "ledger_balances"].map((table) => [
        table,
        `select * from ${table}`,
      ]),
    ),
  );

function isAttacked({ sql }: RunQuery): boolean {
  return sql.includes(mark) || /drop table|attach|union select/i.test(sql);
}

/** Checks that statements ran and that none contains text of an attack. */
function expectOnlyValues(): void {
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.filter(isAttacked)).toEqual([]);
}

async function status(method: string, path: string, headers: Record<string, string>, body?: string) {
  const response = await fetch(shared.server.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await response.text();
  return response.status;
}

describe.each(keyRoutes.map((route, at) => [routeName(route), route, at] as const))(
  "E3: %s",
  (_, route, at) => {
    const honest = () => ({ authorization: `Bearer ${credentialOf(route, side) ?? ""}` });
    const body = takesBody(route) ? JSON.stringify(route.docs.example ?? {}) : undefined;
    const thing = (param: string) => createObject(shared.server, side, param);

    it("treats SQL in a credential as a wrong key", async () => {
      const path = await pathWith(route, () => "x");
      const before = dump();
      for (const attack of attacks) {
        const secret = attack.replaceAll("\u0000", "");
        for (const headers of [{ authorization: `Bearer ${secret}` }, { "x-api-key": secret }])
          expect(await status(route.method, path, headers, body)).toBe(401);
      }
      expect(dump()).toBe(before);
      expectOnlyValues();
    });

    it("treats SQL in its path as an unknown id", async () => {
      const before = dump();
      const pattern = { path: route.path.replace("*id", ":id") };
      const named = pattern.path.includes(":");
      for (const attack of named ? attacks : []) {
        const answered = await status(route.method, await pathWith(pattern, () => attack), honest(), body);
        expect([400, 404]).toContain(answered);
      }
      // An unknown path causes no query.
      const longer = `${route.path.replace(/[:*]\w+/g, "x")}/x/x/${encodeURIComponent(attacks[0] ?? "")}`;
      expect([400, 404, 405]).toContain(await status(route.method, longer, honest(), body));
      expect(dump()).toBe(before);
      expect(queries.filter(isAttacked)).toEqual([]);
    });

    it("treats SQL in each query field and each body text as a text", async () => {
      const [path, before] = [await pathWith(route, thing), schema()];
      for (const attack of someOf(attacks, at)) {
        for (const field of body === undefined ? [...Object.keys(route.docs.query?.shape ?? {}), mark] : []) {
          const query = `?${encodeURIComponent(field)}=${encodeURIComponent(attack)}`;
          expect(await status(route.method, path + query, honest())).toBeLessThan(500);
        }
        for (const attacked of body === undefined ? [] : attackedBodies(route.docs.example ?? {}, attack)) {
          const sent = JSON.stringify(attacked);
          expect(await status(route.method, path, honest(), sent), sent).toBeLessThan(500);
        }
      }
      expect(schema()).toBe(before);
      expectOnlyValues();
    });
  },
);

/** Returns copies of the body with each text and each name replaced in turn. */
function attackedBodies(body: unknown, attack: string): readonly unknown[] {
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
