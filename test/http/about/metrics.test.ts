/** What /metrics says. Each test has a server of its own, because it reads all numbers of a server. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { testKey } from "../../kit/server/settings.js";
import { keys } from "../../kit/server/six-keys.js";
import { gate, until } from "../../kit/until.js";

/** Returns the metrics of a server by name and labels. */
async function scrape(server: ScriptedServer): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${server.url}/metrics`, { headers: headersOf(keys.ada) });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** Returns the values of one metric by labels. */
async function metric(server: ScriptedServer, name: string): Promise<Record<string, number>> {
  const all = [...(await scrape(server))].filter(([key]) => key.startsWith(`${name}{`));
  return Object.fromEntries(all.map(([key, value]) => [key.slice(name.length), value]));
}

describe("requests in /metrics", () => {
  it("are counted and timed by the pattern of their route, never by the path of the client", async () => {
    const server = await startServer({ engine: () => ["Good"] });
    const get = (path: string) => fetch(`${server.url}${path}`, { headers: headersOf(keys.ada) });
    for (const path of ["/v1/models/ember-1m", "/v1/models/made-up", "/made-up", "/v1/made-up"])
      await get(path);
    await (await post(server, { ...hello, model: "made-up" })).text();
    expect(await metric(server, "hearth_requests_total")).toEqual({
      '{route="/v1/models/*id",status="200"}': 1,
      '{route="/v1/models/*id",status="404"}': 1,
      '{route="none",status="404"}': 2,
      '{route="/v1/chat/completions",status="404"}': 1,
    });
    const all = await scrape(server);
    expect(all.get('hearth_request_seconds_count{route="/v1/models/*id"}')).toBe(2);
    expect([...all.keys()].join("\n")).not.toContain("made-up");
  });

  it("are timed to the end of their stream", async () => {
    const held = gate();
    const server = await startServer({ engine: () => ["Good", held.opened] });
    const answer = await post(server, { ...hello, stream: true });
    server.clock.advance(3000);
    held.open();
    await answer.text();
    const all = await scrape(server);
    expect(all.get('hearth_request_seconds_sum{route="/v1/chat/completions"}')).toBe(3);
  });

  it("count as 499 when the client disconnected", async () => {
    const server = await startServer({ engine: () => ["Good", gate().opened] });
    const controller = new AbortController();
    const starting = server.nextRun();
    const left = post(server, hello, { signal: controller.signal }).catch(() => undefined);
    const run = await starting;
    controller.abort();
    await Promise.all([left, run.finished]);
    expect(await metric(server, "hearth_requests_total")).toEqual({
      '{route="/v1/chat/completions",status="499"}': 1,
    });
  });
});

describe("runs in /metrics", () => {
  it("are counted by model and state, with the tokens of those that the engine has not failed", async () => {
    const held = gate();
    const script = (prompt: string) =>
      prompt.includes("fail")
        ? ["one", new Error("no luck")]
        : prompt.includes("leave")
          ? ["two", held.opened]
          : ["a b c"];
    const server = await startServer({ engine: script, cachedTokens: 1 });
    const say = (content: string) => ({ ...hello, model: "ember", messages: [{ role: "user", content }] });
    await (await post(server, say("well"))).text();
    await (await post(server, say("fail"))).text();
    const controller = new AbortController();
    const starting = server.nextRun();
    const left = post(server, say("leave"), { signal: controller.signal }).catch(() => undefined);
    const run = await starting;
    await until(() => run.timings.ttftMs !== null);
    controller.abort();
    await Promise.all([left, run.finished]);
    expect(await metric(server, "hearth_runs_total")).toEqual({
      '{model="ember-1m",state="completed"}': 1,
      '{model="ember-1m",state="failed"}': 1,
      '{model="ember-1m",state="aborted"}': 1,
    });
    expect(await metric(server, "hearth_tokens_total")).toEqual({
      '{model="ember-1m",kind="prompt"}': 6,
      '{model="ember-1m",kind="cached"}': 2,
      '{model="ember-1m",kind="completion"}': 4,
      '{model="ember-1m",kind="reasoning"}': 0,
    });
    expect(await metric(server, "hearth_prefix_cache_tokens_total")).toEqual({
      '{model="ember-1m",result="hit"}': 2,
      '{model="ember-1m",result="miss"}': 4,
    });
  });

  it("report time to first token and speed of runs that had any tokens", async () => {
    const held = gate();
    const server = await startServer({ engine: () => ["Good", held.opened, " day friend."] });
    const starting = server.nextRun();
    const answer = post(server, hello);
    const run = await starting;
    await until(() => run.timings.ttftMs !== null);
    server.clock.advance(500);
    held.open();
    await (await answer).text();
    const all = await scrape(server);
    expect(all.get('hearth_ttft_seconds_count{model="ember-1m"}')).toBe(1);
    expect(all.get('hearth_decode_tokens_per_second_sum{model="ember-1m"}')).toBe(4);
  });

  it("report a load once, however many requests wait for it, and none for a loaded model", async () => {
    const [begun, loading] = [gate(), gate()];
    const onLoad = (): Promise<void> => {
      begun.open();
      return loading.opened;
    };
    const server = await startServer({ engine: () => ["Good"], onLoad });
    const answers = [post(server, hello), post(server, hello)];
    await begun.opened;
    server.clock.advance(2000);
    loading.open();
    for (const answer of await Promise.all(answers)) await answer.text();
    await (await post(server, hello)).text();
    const all = await scrape(server);
    expect(all.get('hearth_model_load_seconds_count{model="ember-1m"}')).toBe(1);
    expect(all.get('hearth_model_load_seconds_sum{model="ember-1m"}')).toBe(2);
  });
});

describe("gauges in /metrics", () => {
  it("report the queue and the slots of loaded models", async () => {
    const held = gate();
    const server = await startServer({ engine: () => [held.opened], slots: 2 });
    const answers = Array.from({ length: 5 }, () => post(server, hello));
    await until(() => server.scheduler.load.waiting === 3);
    expect((await scrape(server)).get("hearth_queue_depth")).toBe(3);
    expect(await metric(server, "hearth_slots")).toEqual({
      '{model="ember-1m",state="held"}': 2,
      '{model="ember-1m",state="total"}': 2,
    });
    held.open();
    for (const answer of await Promise.all(answers)) await answer.text();
    expect((await scrape(server)).get("hearth_queue_depth")).toBe(0);
    expect((await metric(server, "hearth_slots"))['{model="ember-1m",state="held"}']).toBe(0);
  });

  it("report no slots of an unloaded model", async () => {
    const server = await startServer({ engine: () => ["Good"] });
    await (await post(server, hello)).text();
    expect(Object.keys(await metric(server, "hearth_slots"))).toHaveLength(2);
    vi.spyOn(server.engine, "residents").mockReturnValue([]);
    expect(await metric(server, "hearth_slots")).toEqual({});
  });

  it("report the memory of the process and the lag of its event loop", async () => {
    const server = await startServer({ engine: () => ["Good"] });
    const block = async (ms: number): Promise<void> => {
      for (const began = performance.now(); performance.now() - began < ms;);
      await nextTurn();
      await nextTurn();
    };
    // The first interval after the start of the measurement is not measured.
    await block(50);
    await block(100);
    const lag = await metric(server, "hearth_event_loop_lag_seconds");
    expect(Object.keys(lag)).toEqual(['{quantile="0.5"}', '{quantile="0.99"}']);
    expect(lag['{quantile="0.99"}']).toBeGreaterThan(0.04);
    const memory = (await scrape(server)).get("process_resident_memory_bytes") ?? 0;
    expect(memory).toBeGreaterThan(process.memoryUsage.rss() / 4);
  });
});

describe("GET /metrics", () => {
  const engine = () => ({ engine: createScriptedEngine(() => ["Good"]) });

  it("requires no key when only this machine can reach the server", async () => {
    const { url } = await startServer({ ...engine() });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("# TYPE hearth_requests_total counter");
  });

  it("requires a key behind a proxy, also on a loopback address", async () => {
    const { url } = await startServer({ environment: { HEARTH_TRUST_PROXY: "true" }, ...engine() });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: headersOf(testKey) })).status).toBe(200);
  });

  it("requires its own ACL, because the metrics are those of all teams", async () => {
    const server = await startServer({ engine: () => ["Good"], config: { trustProxy: true } });
    const status = async (key: string) =>
      (await fetch(`${server.url}/metrics`, { headers: headersOf(key) })).status;
    expect(await Promise.all([status(keys.ada), status(keys.bob), status(keys.eve)])).toEqual([
      200, 403, 403,
    ]);
  });
});
