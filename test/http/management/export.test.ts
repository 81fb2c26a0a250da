import { describe, expect, it } from "vitest";
import { aTeam, ask } from "./requests/logged.js";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { pinnedManagementKey } from "../../kit/server/settings.js";

async function exported(server: ManagedServer, path: string, credential: string = pinnedManagementKey) {
  const response = await fetch(`${server.url}/admin/export/${path}`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(server: ManagedServer, path: string, credential?: string): Promise<readonly Row[]> {
  const { text } = await exported(server, path, credential);
  return text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Row);
}

/** Formats an amount as the ledger counts it. */
const ticks = (usd: unknown): bigint => {
  const [, sign = "", units = "", places = ""] = /^(-?)(\d+)\.(\d+)$/.exec(String(usd)) ?? [];
  return BigInt(`${sign}${units}${places.padEnd(10, "0")}`);
};

describe("an export", () => {
  it("of usage has a row for each hour, model and key, exact to the tick, as CSV and as JSON lines", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey, teamId, apiKeyId } = await aTeam(server);
    const { body } = await ask(server, apiKey);
    const { usage } = body as { usage: { cost_in_usd_ticks: number; prompt_tokens: number } };
    const [row, ...others] = await rowsOf(server, "usage");
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      hour: "2026-11-21T12:00:00.000Z",
      teamId,
      teamName: "research",
      apiKeyId,
      apiKeyName: "laptop",
      runs: 1,
      promptTokens: usage.prompt_tokens,
      completionTokens: 2,
    });
    expect(ticks(row?.["costUsd"])).toBe(BigInt(usage.cost_in_usd_ticks));
    const { headers, text } = await exported(server, "usage?format=csv");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="hearth-usage.csv"');
    const [header, line, end] = text.split("\r\n");
    expect(header?.split(",").slice(0, 3)).toEqual(["hour", "team_id", "team_name"]);
    expect(line?.split(",")).toEqual(Object.values(row ?? {}).map(String));
    expect(end).toBe("");
  });

  it("of the ledger has entries that sum to 0 in each transaction and to the balances in all", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey, teamId } = await aTeam(server);
    await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "500" } });
    await ask(server, apiKey);
    const rows = await rowsOf(server, "ledger");
    const sums = (name: string) => {
      const byName = new Map<unknown, bigint>();
      for (const row of rows) byName.set(row[name], (byName.get(row[name]) ?? 0n) + ticks(row["amountUsd"]));
      return byName;
    };
    expect([...sums("transactionId").values()]).toEqual([0n, 0n]);
    const balances = await server.stores.ledger.readBalances(teamId);
    for (const [account, sum] of sums("account"))
      expect([account, sum]).toEqual([account, balances[account as keyof typeof balances]]);
    // An amount is a number to a spreadsheet, also a negative one.
    expect((await exported(server, "ledger?format=csv")).text).toContain(",purchases,-5.00\r\n");
  });

  it("of the audit log has each event with the object before and after", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKeyId, manager } = await aTeam(server);
    const rows = await rowsOf(server, "audit", manager);
    expect(rows.map(({ act }) => act)).toEqual(["CreateTeam", "CreateApiKey", "CreateManagementKey"]);
    expect(rows[1]).toMatchObject({ objectId: apiKeyId, before: null, after: { name: "laptop" } });
    const { text } = await exported(server, "audit?format=csv", manager);
    expect(text).toContain('"{""name"":""laptop""');
  });

  it("protects spreadsheets: text that begins like a formula gets an apostrophe, in JSON it stays", async () => {
    const server = await startServer({ accounts: "managed" });
    const names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)"];
    for (const name of names) {
      const teamId = await server.createTeam(name);
      await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
      const { apiKey } = await server.createKey(teamId, { acls: ["api-key:endpoint:*", "api-key:model:*"] });
      await ask(server, apiKey);
    }
    expect((await rowsOf(server, "usage")).map(({ teamName }) => teamName)).toEqual(names);
    const { text } = await exported(server, "usage?format=csv");
    for (const name of names) expect(text).toContain(`,'${name},`);
  });

  it("E13: has what the management key can see, and of a time what is in it", async () => {
    const server = await startServer({ accounts: "managed" });
    const [ours, theirs] = [await aTeam(server), await aTeam(server)];
    await ask(server, theirs.apiKey);
    server.clock.advance(3_600_000);
    await ask(server, ours.apiKey);
    const teams = async (path: string, credential?: string) => [
      ...new Set((await rowsOf(server, path, credential)).map(({ teamId }) => teamId)),
    ];
    for (const kind of ["usage", "ledger"]) {
      expect(await teams(kind)).toEqual([ours.teamId, theirs.teamId]);
      expect(await teams(kind, ours.manager)).toEqual([ours.teamId]);
      expect(await teams(`${kind}?teamId=${theirs.teamId}`)).toEqual([theirs.teamId]);
      expect(await teams(`${kind}?since=2026-11-21T13:00:00Z`)).toEqual([ours.teamId]);
      expect(await teams(`${kind}?until=2026-11-21T13:00:00Z`)).toEqual([theirs.teamId]);
      const { status, text } = await exported(server, `${kind}?teamId=${theirs.teamId}`, ours.manager);
      expect([status, text]).toEqual([404, expect.stringContaining("Cannot find team")]);
    }
    expect(await teams("audit", ours.manager)).toEqual([ours.teamId]);
    const backwards = await exported(server, "usage?since=2026-11-22T00:00:00Z&until=2026-11-21T00:00:00Z");
    expect([backwards.status, backwards.text]).toEqual([400, expect.stringContaining("until")]);
  });

  it("has every row once when it has many pages, and a header when it has none", async () => {
    const server = await startServer({ accounts: "managed" });
    const { apiKey, teamId } = await aTeam(server);
    expect((await exported(server, "usage?format=csv")).text).toMatch(/^hour,team_id,[\w,]+\r\n$/);
    expect((await exported(server, "usage")).text).toBe("");
    await ask(server, apiKey);
    const { kysely } = server.database;
    const row = await kysely.selectFrom("usageHours").selectAll().executeTakeFirstOrThrow();
    const hours = Array.from({ length: 2499 }, (_, at) => ({
      ...row,
      hour: row.hour - (1 + Math.floor(at / 7)) * 3_600_000,
      model: `model ${String(at % 7)}`,
    }));
    const transactions = Array.from({ length: 2499 }, (_, at) => ({
      ...({ id: 10 + at, kind: "purchase", teamId, runId: null, note: null } as const),
      createTime: Math.floor(at / 3),
    }));
    for (let at = 0; at < 2499; at += 500) {
      await kysely
        .insertInto("usageHours")
        .values(hours.slice(at, at + 500))
        .execute();
      const some = transactions.slice(at, at + 500);
      await kysely.insertInto("ledgerTransactions").values(some).execute();
      const entries = some.flatMap(({ id }) => [
        { transactionId: id, account: "credit", amountTicks: 1 } as const,
        { transactionId: id, account: "purchases", amountTicks: -1 } as const,
      ]);
      await kysely.insertInto("ledgerEntries").values(entries).execute();
    }
    const usage = (await rowsOf(server, "usage")).map(
      ({ hour, model }) => `${String(hour)} ${String(model)}`,
    );
    expect([usage.length, new Set(usage).size]).toEqual([2500, 2500]);
    expect(usage).toEqual(usage.toSorted());
    const entries = (await rowsOf(server, "ledger")).map(
      ({ transactionId, account }) => `${String(transactionId)} ${String(account)}`,
    );
    expect([entries.length, new Set(entries).size]).toEqual([5000, 5000]);
  });
});
