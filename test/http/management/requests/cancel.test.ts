import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { gate, until } from "../../../kit/until.js";
import { aTeam, ask, chat, list, never, running } from "./logged.js";

describe("POST /admin/requests/{runId}/cancel", () => {
  const cancel = (server: ManagedServer, id: string, credential?: string) =>
    server.request("POST", `/admin/requests/${id}/cancel`, undefined, credential);

  it.each([
    ["/v1/chat/completions", {}, '"code":"cancelled"'],
    ["/v1/messages", {}, '"type":"api_error"'],
    ["/v1/responses", { input: "Hello", messages: undefined }, '"type":"response.failed"'],
    ["/v1/completions", { prompt: "Hello", messages: undefined }, '"code":"cancelled"'],
    ["/api/chat", {}, '{"error":'],
  ])("ends a stream of %s with an error, charges what was produced, and keeps the books", async (...row) => {
    const [path, body, last] = row;
    const server = await startServer({ accounts: "managed", engine: () => ["Good", never] });
    const { apiKey, teamId } = await aTeam(server);
    const { response, logged } = await running(server, apiKey, { ...body, stream: true }, path);
    const answer = await cancel(server, logged.id);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: logged.id, status: "cancelled", errorKind: "cancelled", completionTokens: 1 },
    });
    const text = await response.text();
    expect(text).toContain("The operator of this server has cancelled the request.");
    expect(text).toContain(last);
    const { costUsd } = answer.body as { costUsd: string };
    const revenue = Number((await server.stores.ledger.readBalances(teamId)).revenue);
    expect(Number(costUsd)).toBeCloseTo(revenue / 1e10, 12);
    expect(revenue).toBeGreaterThan(0);
    expect(await server.stores.ledger.verify()).toEqual([]);
    expect((await cancel(server, logged.id)).status).toBe(409);
  });

  it("releases what a prepaid team has reserved", async () => {
    const server = await startServer({ accounts: "managed", engine: () => ["Good", never] });
    const teamId = await server.createTeam();
    const { apiKey } = await server.createKey(teamId, { acls: allAcls });
    await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "500" } });
    const { response, logged } = await running(server, apiKey, { stream: true });
    expect((await cancel(server, logged.id)).status).toBe(200);
    await response.text();
    const balances = await server.stores.ledger.readBalances(teamId);
    expect(balances.reserved).toBe(0n);
    expect(balances.credit + balances.revenue).toBe(500n * 100_000_000n);
    expect(await server.stores.ledger.verify()).toEqual([]);
  });

  it("ends a request that waits for a slot, which costs nothing, and tells clients not to retry", async () => {
    const held = gate();
    const server = await startServer({ accounts: "managed", engine: () => ["Good", held.opened], slots: 1 });
    const { apiKey } = await aTeam(server);
    const { response } = await running(server, apiKey, { stream: true });
    const waiting = fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(chat),
    });
    await until(() => server.app.scheduler.load.waiting === 1);
    const [queued] = (await list(server, "?status=queued")).requests;
    const ended = await cancel(server, queued?.id ?? "");
    expect(ended).toMatchObject({ status: 200, body: { status: "cancelled", costUsd: "0.00" } });
    const answer = await waiting;
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([503, "false"]);
    expect(await answer.json()).toMatchObject({ error: { code: "cancelled" } });
    expect(server.app.scheduler.load.waiting).toBe(0);
    held.open();
    expect(await response.text()).toContain("[DONE]");
  });

  it("ends jobs for good: a background response as cancelled, a deferred completion as failed", async () => {
    const server = await startServer({ accounts: "managed", engine: () => ["Good", never] });
    const { apiKey } = await aTeam(server);
    const cancelRunning = async () => {
      await until(() => server.app.scheduler.load.running === 1);
      const [logged] = (await list(server, "?status=running")).requests;
      expect((await cancel(server, logged?.id ?? "")).status).toBe(200);
      await until(() => server.app.scheduler.load.running === 0);
    };
    const background = { model: builtInModel, input: "Hello", background: true };
    const { id } = (await ask(server, apiKey, background, "/v1/responses")).body as { id: string };
    await cancelRunning();
    const response = await server.request("GET", `/v1/responses/${id}`, undefined, apiKey);
    expect(response.body).toMatchObject({ status: "cancelled" });
    const deferred = (await ask(server, apiKey, { ...chat, deferred: true })).body as { request_id: string };
    await cancelRunning();
    const path = `/v1/chat/deferred-completion/${deferred.request_id}`;
    const outcome = await server.request("GET", path, undefined, apiKey);
    expect(outcome).toMatchObject({ status: 503, body: { error: { code: "cancelled" } } });
    expect((await list(server, "?status=running")).requests).toEqual([]);
    expect(await server.database.kysely.selectFrom("jobs").selectAll().execute()).toEqual([]);
  });

  it("is in the audit log with the key that asked for it", async () => {
    const server = await startServer({ accounts: "managed", engine: () => ["Good", never] });
    const { apiKey, teamId, apiKeyId } = await aTeam(server);
    const { logged } = await running(server, apiKey, { stream: true });
    await cancel(server, logged.id);
    const { body } = await server.request("GET", `/audit/teams/${teamId}/events?pageSize=1`);
    expect(body).toMatchObject({
      events: [{ act: "CancelRequest", objectId: logged.id, after: { model: builtInModel, apiKeyId } }],
    });
  });
});
