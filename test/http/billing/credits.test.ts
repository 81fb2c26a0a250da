import { describe, expect, it, onTestFinished } from "vitest";
import { asked, authorization, bound, complete, prices, serverWithBooks, type Books } from "../../books.js";
import { createScriptedEngine } from "../../../src/engine/scripted.js";
import { startApp, until, type TestApp } from "../../harness.js";
import { gate } from "../compose.js";
import { createManualClock } from "../manual-clock.js";

const [prompt, completion] = [3 * prices.prompt, prices.completion];

async function defer({ url }: TestApp): Promise<{ readonly request_id: string }> {
  const messages = [{ role: "user", content: "Hello" }];
  const body = JSON.stringify({ model: asked.model, messages, max_tokens: 8, deferred: true });
  const init = { method: "POST", headers: authorization, body };
  return (await (await fetch(`${url}/v1/chat/completions`, init)).json()) as { readonly request_id: string };
}

/** The outcome of a deferred completion, once it is there. */
async function fetched({ url }: TestApp, id: string): Promise<Response> {
  for (;;) {
    const answer = await fetch(`${url}/v1/chat/deferred-completion/${id}`, { headers: authorization });
    if (answer.status !== 202) return answer;
    await answer.arrayBuffer();
  }
}

interface UsageBody {
  readonly usage: { readonly cost_in_usd_ticks: number };
}

describe("a prepaid team", () => {
  it("reserves the most that a request may cost, is charged what it did cost, and has the rest back", async () => {
    const held = gate();
    const server = await serverWithBooks("prepaid", () => ["a b", held.opened, " c"]);
    await server.buy(bound + 5);
    const answering = complete(server);
    await until(() => server.app.generator.active.size === 1);
    await until(() => server.app.scheduler.load.running === 1);
    expect(await server.balances()).toMatchObject({ credit: 5n, reserved: BigInt(bound) });
    expect(await server.ledger.verify()).toEqual([]);
    held.open();
    expect((await answering).status).toBe(200);
    const cost = prompt + 3 * completion;
    expect(await server.transactions()).toEqual([
      ["purchase", { credit: bound + 5, purchases: -bound - 5 }],
      ["reserve", { credit: -bound, reserved: bound }],
      ["settle", { reserved: -bound, revenue: cost, credit: bound - cost }],
    ]);
    expect((await server.runs.list(1))[0]).toMatchObject({ costTicks: cost, reservedTicks: bound });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("is told, in the answer's usage, exactly what the books say", async () => {
    const server = await serverWithBooks("prepaid", () => ["a b c"], { cachedTokens: 2 });
    await server.buy(1_000_000_000);
    const response = await fetch(`${server.url}/v1/responses`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: asked.model, input: "Hello", max_output_tokens: 8 }),
    });
    const { usage } = (await response.json()) as UsageBody;
    expect(usage.cost_in_usd_ticks).toBeGreaterThan(0);
    expect((await server.balances()).revenue).toBe(BigInt(usage.cost_in_usd_ticks));
    expect(await server.ledger.verify()).toEqual([]);
  });

  it.each([
    ["/v1/completions", { prompt: "Hello", max_tokens: 8 }],
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }], stream: true }],
    ["/v1/responses", { input: "Hello" }],
    ["/v1/responses/compact", { input: "Hello" }],
  ])("without credit is refused by %s as the hosted service does, before any work", async (path, body) => {
    const server = await serverWithBooks("prepaid", () => ["never"]);
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: authorization,
      body: JSON.stringify({ model: asked.model, ...body }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      code: "The caller does not have permission to execute the specified operation",
      error: {
        message: expect.stringMatching(
          /^Your team \S+ has either used all available credits or reached its monthly spending limit\. /,
        ) as string,
        type: "insufficient_quota",
        param: null,
        code: "insufficient_quota",
      },
    });
    expect(server.app.engine.residents()).toEqual([]);
    expect(await server.transactions()).toEqual([]);
  });

  it.each([
    ["/v1/messages", { max_tokens: 8, messages: [{ role: "user", content: "Hello" }] }],
    ["/v1/complete", { max_tokens_to_sample: 8, prompt: "\n\nHuman: Hello\n\nAssistant:" }],
  ])("without credit is refused by %s in Anthropic's words", async (path, body) => {
    const server = await serverWithBooks("prepaid", () => ["never"]);
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { ...authorization, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: asked.model, ...body }),
    });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: {
        type: "billing_error",
        message: expect.stringContaining("used all available credits") as string,
      },
    });
  });

  it("that has less than a request may cost is told how much that is", async () => {
    const server = await serverWithBooks("prepaid", () => ["never"]);
    await server.buy(bound - 1);
    const response = await complete(server);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("This request may cost up to 0.00000035 USD");
    expect(await server.runs.list(1)).toEqual([]);
  });

  it("F14: has exactly one of 100 requests at a time served with credit for one", async () => {
    const held = gate();
    const server = await serverWithBooks("prepaid", () => ["a b", held.opened], { slots: 100 });
    await server.buy(bound);
    const statuses: number[] = [];
    const all = Array.from({ length: 100 }, async () => {
      const response = await complete(server);
      statuses.push(response.status);
      await response.arrayBuffer();
    });
    await until(() => statuses.length === 99);
    expect(statuses.every((status) => status === 403)).toBe(true);
    held.open();
    await Promise.all(all);
    expect(statuses.at(-1)).toBe(200);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + 2 * completion) });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("is charged for what was produced when its client leaves a stream, and for no more", async () => {
    const server = await serverWithBooks("prepaid", () => ["a b", new Promise(() => undefined)]);
    await server.buy(bound);
    const leaving = new AbortController();
    const response = await complete(server, { stream: true }, { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await until(() => server.app.generator.active.size === 0);
    const cost = prompt + 2 * completion;
    expect((await server.runs.list(1))[0]).toMatchObject({ state: "aborted", costTicks: cost });
    expect((await server.transactions()).at(-1)).toEqual([
      "settle",
      { reserved: -bound, revenue: cost, credit: bound - cost },
    ]);
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("is charged for what was produced when the engine fails", async () => {
    const server = await serverWithBooks("prepaid", () => ["a", new Error("out of luck")]);
    await server.buy(bound);
    expect((await complete(server)).status).toBe(500);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + completion) });
    expect(await server.ledger.verify()).toEqual([]);
  });

  it("reserves for every choice and every prompt", async () => {
    const server = await serverWithBooks("prepaid", () => ["a b"]);
    const each = { prompt: ["one two three", "four"], n: 3, max_tokens: 2 };
    const most = 4 * prices.prompt + 12 * completion;
    await server.buy(most - 1);
    expect((await complete(server, each)).status).toBe(403);
    await server.buy(1);
    expect((await complete(server, each)).status).toBe(200);
    expect(await server.balances()).toMatchObject({ credit: 0n, reserved: 0n, revenue: BigInt(most) });
  });

  it("has a deferred completion fail with the refusal where it has no credit when it is made", async () => {
    const server = await serverWithBooks("prepaid", () => ["never"]);
    const { request_id } = await defer(server);
    const answer = await fetched(server, request_id);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("insufficient_quota");
  });
});

describe("an unmetered team", () => {
  it("is never refused, and every run is priced and in the books", async () => {
    const server = await serverWithBooks("unmetered", () => ["a b"]);
    expect((await complete(server)).status).toBe(200);
    const cost = prompt + 2 * completion;
    expect(await server.transactions()).toEqual([["settle", { owed: -cost, revenue: cost }]]);
    expect((await server.runs.list(1))[0]).toMatchObject({ costTicks: cost, reservedTicks: null });
    expect(await server.ledger.verify()).toEqual([]);
  });
});

/** Has the write lock until it is rolled back. */
async function hold({ database }: Books) {
  const holding = await database.kysely.startTransaction().execute();
  await holding.updateTable("teams").set({ weight: 1 }).execute();
  return holding;
}

describe("F11: a database that cannot be written", () => {
  it("refuses new work with 503, and serves again when it can", async () => {
    const server = await serverWithBooks("unmetered", () => ["a b"]);
    const holding = await hold(server);
    const refused = await complete(server);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.text()).toContain("cannot write to its database");
    await holding.rollback().execute();
    expect((await complete(server)).status).toBe(200);
    expect((await server.runs.list(9)).length).toBe(1);
  });

  it("keeps a run in hand until its end is written, and then charges it once", async () => {
    const held = gate();
    const clock = createManualClock(Date.UTC(2026, 10, 21));
    const server = await serverWithBooks("prepaid", () => ["a b", held.opened], { clock });
    await server.buy(bound);
    const answering = complete(server);
    await until(() => server.app.scheduler.load.running === 1);
    const holding = await hold(server);
    held.open();
    expect((await answering).status).toBe(200);
    expect(server.app.generator.active.size).toBe(1);
    clock.advance(1000);
    expect(server.app.generator.active.size).toBe(1);
    await holding.rollback().execute();
    await clock.whenWaiting(1000);
    clock.advance(1000);
    await until(() => server.app.generator.active.size === 0);
    expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + 2 * completion) });
    expect(await server.ledger.verify()).toEqual([]);
  });
});

it("a deferred completion that is put back by a closing server costs nothing until it is made, and is charged once", async () => {
  const server = await serverWithBooks("prepaid", () => ["a b", new Promise(() => undefined)]);
  await server.buy(1_000_000_000);
  const { request_id } = await defer(server);
  await until(() => server.app.scheduler.load.running === 1);
  await server.app.close();
  expect((await server.runs.list(1))[0]).toMatchObject({ state: "interrupted", costTicks: 0 });
  expect(await server.balances()).toMatchObject({ credit: 1_000_000_000n, reserved: 0n });
  const next = await startApp({ HEARTH_DATA: server.data }, { engine: createScriptedEngine(() => ["a b"]) });
  const answer = await fetched(next, request_id);
  expect(answer.status).toBe(200);
  const [run] = await server.runs.list(1);
  expect(run?.state).toBe("completed");
  expect((await server.balances()).revenue).toBe(BigInt(run?.costTicks ?? 0));
  expect(await server.ledger.verify()).toEqual([]);
});

it("a server that closes over a run charges what was produced", async () => {
  const server = await serverWithBooks("prepaid", () => ["a b", new Promise(() => undefined)]);
  await server.buy(bound);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answering = complete(server, { stream: true }, { signal: leaving.signal });
  await until(() => server.app.scheduler.load.running === 1);
  const closing = server.app.close();
  await (await answering).text().catch(() => undefined);
  await closing;
  expect(await server.balances()).toMatchObject({ reserved: 0n, revenue: BigInt(prompt + 2 * completion) });
  expect(await server.ledger.verify()).toEqual([]);
});
