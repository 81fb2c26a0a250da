import { join } from "node:path";
import type Sqlite from "better-sqlite3";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { connectSqlite } from "../../../src/store/sqlite/connect.js";
import { workerUrls } from "../../kit/worker-urls.js";
import { temporaryFolder } from "../../kit/folder.js";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { writeNewDatabase } from "../../kit/databases/new-database.js";
import { createTestTeam, keyRoutes, routeName, type TestTeam } from "../threats/world.js";

/** Tables that grow with every request, or with every change. */
const growing =
  /\b(runs|usage_\w+|ledger_transactions|ledger_entries|audit_events|deleted_runs|run_labels)\b/;
/** A step of a plan that finds one row by what identifies it. */
const isLookUp = /\((id|rowid|run_id|name)=\?\)/;

type Reads = Map<string, readonly string[]>;

/** Opens connections, and collects the plans of statements that read rows of growing tables otherwise than one by one. */
function watching(reads: Reads): typeof connectSqlite {
  return (file, options) => {
    const sqlite = connectSqlite(file, options);
    const prepare = sqlite.prepare.bind(sqlite);
    const watched = (text: string): Sqlite.Statement => {
      const statement = prepare(text);
      if (!statement.reader || !growing.test(text) || !/^\s*(select|with)/i.test(text)) return statement;
      const nulls = Array.from({ length: text.split("?").length - 1 }, () => null);
      const plan = prepare(`explain query plan ${text}`).all(nulls) as { readonly detail: string }[];
      const steps = plan
        .map(({ detail }) => detail)
        .filter((detail) => /^(SCAN|SEARCH)/.test(detail) && growing.test(detail) && !isLookUp.test(detail));
      if (steps.length > 0) reads.set(text, steps);
      return statement;
    };
    sqlite.prepare = watched as typeof sqlite.prepare;
    return sqlite;
  };
}

const management = keyRoutes.filter(({ method, guard }) => method === "GET" && guard === "management-key");

/** What else reads much: reports that are asked for by POST, and filters. */
const asked: readonly (readonly [
  name: string,
  ask: (server: ManagedServer, side: TestTeam) => Promise<unknown>,
])[] = [
  ...["description", "apiKeyId", "memberId", "tag", "endUser"].flatMap((group) =>
    ["HOUR", "DAY", "MONTH", "NONE"].map(
      (unit) =>
        [
          `usage by ${group} and ${unit}`,
          (server: ManagedServer, { teamId }: TestTeam) =>
            server.request("POST", `/v1/billing/teams/${teamId}/usage`, {
              analyticsRequest: {
                timeRange: { startTime: "2026-11-01 00:00:00", endTime: "2026-11-20 05:00:00" },
                timeUnit: `TIME_UNIT_${unit}`,
                values: [{ name: "usd", aggregation: "AGGREGATION_SUM" }],
                groupBy: [group],
              },
            }),
        ] as const,
    ),
  ),
  ...["query=a", "status=failed", "until=2026-11-01T00:00:00Z&query=a"].map(
    (query) =>
      [
        `requests by ${query}`,
        (server: ManagedServer) => server.request("GET", `/admin/requests?${query}`),
      ] as const,
  ),
];

describe("F24: on the connection that requests use, no read of many rows of a table that grows", () => {
  let watched: {
    readonly reads: Reads;
    readonly start: () => Promise<{ server: ManagedServer; side: TestTeam }>;
  };

  beforeAll(() => {
    const reads: Reads = new Map();
    watched = {
      reads,
      async start() {
        const data = join(temporaryFolder(), "data");
        const file = join(data, "hearth.db");
        await writeNewDatabase(file);
        const { reportsWorkerUrl } = workerUrls;
        const database = await openDatabase(file, { connect: watching(reads), reportsWorkerUrl });
        const server = await startServer({
          accounts: "managed",
          database,
          environment: { HEARTH_DATA: data },
        });
        const side = await createTestTeam(server, "ours");
        // What a start reads has been read.
        reads.clear();
        return { server, side };
      },
    };
  });

  it("by any route of the management API", async () => {
    const { server, side } = await watched.start();
    expect(management.length).toBeGreaterThan(20);
    for (const route of management) {
      const path = route.path
        .replaceAll(/\{teamId\}|:teamId/g, side.teamId)
        .replaceAll(/\{\w+\}|:\w+/g, "nothing");
      const { status } = await server.request("GET", path).catch(() => ({ status: 0 }));
      expect([routeName(route), status < 500]).toEqual([routeName(route), true]);
      expect([routeName(route), [...watched.reads]]).toEqual([routeName(route), []]);
    }
  });

  it.each(asked)("by %s", async (_name, ask) => {
    const { server, side } = await watched.start();
    expect(await ask(server, side)).toMatchObject({ status: 200 });
    expect([...watched.reads]).toEqual([]);
  });

  it("finds one that does", async () => {
    const { server } = await watched.start();
    const runs = await server.app.runs.list(9);
    expect(runs).toEqual([]);
    expect([...watched.reads.values()].flat().join()).toMatch(/SCAN runs/);
  });
});
