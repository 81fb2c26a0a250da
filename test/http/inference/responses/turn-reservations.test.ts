import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScriptedEngine, type Script } from "../../../kit/scripted/engine.js";
import { createRunStore } from "../../../../src/inference/run/store/runs.js";
import { createLedgerStore } from "../../../../src/accounts/money/store/ledger.js";
import { openDatabase } from "../../../../src/store/database.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { testKey } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import { aSide, set, verified } from "../../management/accounts/budgeted.js";
import { type LedgerServer, prices, startLedgerServer } from "../../../kit/ledger.js";
import { startMcpServer } from "../../../kit/doubles/mcp-server.js";
import { calling, input, lastLine, toolOf } from "./mcp/app.js";
import { createResponsesClient } from "../../../kit/clients/responses.js";

const model = "hearth-tiny-5m";
const max_output_tokens = 40;
const sampledMax = max_output_tokens * prices.completion;

/** Calls `add` so often, and then answers. Each turn samples six tokens, the last one three. */
function addsTimes(count: number, before: (turn: number) => Promise<void> = () => Promise.resolve()): Script {
  return (prompt) => {
    const turn = prompt.split("tool: ").length - 1;
    const wait = before(turn);
    return turn < count
      ? [wait, ...calling("math__add", { a: turn, b: 1 })]
      : [wait, `It is ${lastLine(prompt).split(" ").at(-1)}`];
  };
}

async function start(script: Script, contextTokens = 4_000) {
  const mcp = await startMcpServer();
  const server = await startLedgerServer("prepaid", script, {
    contextTokens,
    environment: { HEARTH_MCP_HOSTS: mcp.host },
  });
  const client = createResponsesClient(server.url, testKey, model);
  return { mcp, server, client, request: { input, tools: [toolOf(mcp)], max_output_tokens } };
}

async function problems({ ledger }: LedgerServer): Promise<readonly string[]> {
  return ledger.verify();
}

describe("a response of several turns of a prepaid team", () => {
  it("is answered with credit for what it uses, far below that for a whole context in each turn", async () => {
    const { server, client, request } = await start(addsTimes(2), 128_000);
    await server.buy(30_000);
    const response = await client.create(request);
    expect(response.output.map(({ type }) => type)).toEqual([
      "mcp_list_tools",
      "mcp_call",
      "mcp_call",
      "message",
    ]);
    const [run] = await server.runs.list(9);
    const { credit, reserved } = await server.balances();
    expect([run?.state, reserved]).toEqual(["completed", 0n]);
    expect(30_000n - credit).toBe(BigInt(run?.costTicks ?? 0));
    expect(run?.costTicks).toBe(response.usage?.cost_in_usd_ticks);
    expect(await problems(server)).toEqual([]);
  });

  it("reserves the prompt of each turn when it comes, in a transaction of its own", async () => {
    const reached: number[] = [];
    const held = gate();
    const script = addsTimes(2, (turn) => {
      reached.push(turn);
      return turn === 2 ? held.opened : Promise.resolve();
    });
    const { server, client, request } = await start(script);
    await server.buy(1_000_000);
    const answering = client.create(request);
    await until(() => reached.includes(2));
    const kinds = (await server.transactions()).map(([kind]) => kind);
    expect(kinds).toEqual(["purchase", "reserve", "reserve", "reserve"]);
    const jobs = (await server.transactions()).slice(1).map(([, entries]) => entries["reserved"] ?? 0);
    expect(jobs[0]).toBeGreaterThan(sampledMax);
    for (const [at, each] of jobs.entries()) if (at > 0) expect(each % prices.prompt).toBe(0);
    const held_ = jobs.reduce((sum, each) => sum + each, 0);
    expect((await server.balances()).reserved).toBe(BigInt(held_));
    expect(await problems(server)).toEqual([]);
    held.open();
    await answering;
    const [run] = await server.runs.list(9);
    expect(run?.reservedTicks).toBe(held_);
    expect(await problems(server)).toEqual([]);
  });

  it.each([false, true])(
    "ends with the error of missing credit at the turn that cannot be reserved, and is charged for those before (stream: %s)",
    async (stream) => {
      const { mcp, server, client, request } = await start(addsTimes(2));
      const { length } = `user: ${input}\nassistant:`.match(/\s*\S+/g) ?? [];
      const bought = (length ?? 0) * prices.prompt + sampledMax + prices.prompt;
      await server.buy(bought);
      if (stream) {
        const events = await (await client.stream(request)).events();
        const last = events.at(-1);
        if (last?.type !== "response.failed") throw new Error(`ended with ${last?.type}`);
        expect(last.response.error?.message).toMatch(/used all available credits/);
        expect(last.response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call"]);
      } else {
        const refused = await client.send("POST", "", { model, ...request });
        expect([refused.status, refused.text]).toEqual([
          403,
          expect.stringMatching(/used all available credits/),
        ]);
      }
      expect(mcp.calls).toHaveLength(1);
      const [run] = await server.runs.list(9);
      expect(run).toMatchObject({
        state: "failed",
        costTicks: (length ?? 0) * prices.prompt + 6 * prices.completion,
      });
      const { credit, reserved } = await server.balances();
      expect([credit, reserved]).toEqual([BigInt(bought - (run?.costTicks ?? 0)), 0n]);
      expect(await problems(server)).toEqual([]);
    },
  );

  it.each(["key", "team"])(
    "ends with the error of the budget of its %s that a later turn exceeds, and the books balance",
    async (subject) => {
      const mcp = await startMcpServer();
      const engine = createScriptedEngine(addsTimes(2), { contextTokens: 4_000 });
      const server = await startServer({
        accounts: "managed",
        engine,
        environment: { HEARTH_MCP_HOSTS: mcp.host },
      });
      const side = await aSide(server);
      const first = `user: ${input}\nassistant:`.match(/\s*\S+/g)?.length ?? 0;
      const subjectId = subject === "key" ? { apiKeyId: side.keyId } : {};
      const budget = { hardTokens: first + max_output_tokens + 1 };
      await set(server, side, { ...subjectId, period: "day", budget });
      const client = createResponsesClient(server.url, side.secret, model);
      const tools = [toolOf(mcp)];
      const refused = await client.send("POST", "", { model, input, tools, max_output_tokens });
      expect(refused).toMatchObject({ status: 429, body: { error: { code: "budget_exceeded" } } });
      expect(mcp.calls).toHaveLength(1);
      const [row] = await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute();
      expect(row).toMatchObject({ spentTokens: first + 6, reservedTokens: 0, reservedTicks: 0 });
      await verified(server);
    },
  );

  it("F1: leaves nothing reserved when the process dies between its turns", async () => {
    const reached = gate();
    const held = gate();
    const script = addsTimes(2, (turn) => {
      if (turn === 1) reached.open();
      return turn === 1 ? held.opened : Promise.resolve();
    });
    const { server, client, request } = await start(script);
    await server.buy(1_000_000);
    const answering = client.create(request);
    await reached.opened;
    // What the disk has at this moment is what a killed process leaves.
    const folder = temporaryFolder();
    for (const name of ["hearth.db", "hearth.db-wal"]) cpSync(join(server.data, name), join(folder, name));
    held.open();
    await answering;
    const database = await openDatabase(join(folder, "hearth.db"));
    const ledger = createLedgerStore(database);
    expect((await ledger.readBalances(server.teamId)).reserved).toBeGreaterThan(0n);
    expect(await createRunStore(database).interruptAll(Date.now())).toBe(1);
    const { credit, reserved } = await ledger.readBalances(server.teamId);
    expect([credit, reserved]).toEqual([1_000_000n, 0n]);
    expect(await ledger.verify()).toEqual([]);
    await database.close();
  });
});
