import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../../src/engine/scripted.js";
import { builtInModel, startApp, temporaryFolder, testKey } from "../../../harness.js";
import { compose, gate } from "../../compose.js";
import { createManualClock, type ManualClock } from "../../manual-clock.js";
import { askerOf, type Asker } from "./responses.js";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Of deferred completions, responses and images. */
const tables = 3;
const bornAt = Date.UTC(2026, 10, 21);

/** A server over that data folder at that time; whoever says "Wait" is not answered. */
async function serve(data: string, startTime: number) {
  const clock = createManualClock(startTime);
  const engine = createScriptedEngine((prompt) =>
    prompt.includes("Wait") ? [gate().opened] : ["Good day."],
  );
  const { url, app } = await startApp({ HEARTH_DATA: data }, { engine, clock });
  return { clock, app, ask: askerOf(url, testKey, builtInModel) };
}

/** A sweep that is due: of one table after the other. */
async function sweep(clock: ManualClock, dueInMs: number): Promise<void> {
  clock.advance(dueInMs);
  for (let table = 1; table < tables; table += 1) {
    await clock.whenWaiting(20);
    clock.advance(20);
  }
  await clock.whenWaiting(hourMs);
}

describe("a stored response", () => {
  it("is gone at the first sweep after 30 days, with its items and its stream; one that is at work stays", async () => {
    const data = join(temporaryFolder(), "data");
    const rows = counter(join(data, "hearth.db"));
    const first = await serve(data, bornAt);
    const old = await first.ask.create({ input: "Hello" });
    await (await first.ask.stream({ input: "Hello", background: true })).all();
    const slow = await first.ask.create({ input: "Wait", background: true });
    await first.ask.findAs(slow.id, "in_progress");
    await first.app.close();

    const { clock, ask } = await serve(data, bornAt + 30 * dayMs - 1000);
    await sweep(clock, 0);
    expect(rows()).toEqual({ responses: 3, response_items: 5, response_events: 1 });
    const young = await ask.create({ input: "Hello", previous_response_id: old.id });
    await sweep(clock, hourMs);
    expect(rows()).toEqual({ responses: 2, response_items: 3, response_events: 0 });
    expect((await ask.send("GET", `/${old.id}`)).status).toBe(404);
    expect(await ask.find(young.id)).toEqual(young);
    const next = { model: builtInModel, input: "And?", previous_response_id: young.id };
    expect((await ask.send("POST", "", next)).body).toMatchObject({
      error: { code: "previous_response_not_found" },
    });
    // It has outlived its time, and goes when it is over.
    expect(await ask.find(slow.id)).toMatchObject({ status: "in_progress" });
    await ask.send("POST", `/${slow.id}/cancel`);
    await sweep(clock, hourMs);
    expect(rows()).toEqual({ responses: 1, response_items: 2, response_events: 0 });
  });

  it("is swept with thousands of others, and requests are answered meanwhile", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, bornAt);
    const { id } = await first.ask.create({ input: "Hello" });
    await first.app.close();
    const copies = 3000;
    const database = new Database(join(data, "hearth.db"));
    database
      .prepare(
        `with recursive copy(number) as (select 1 union all select number + 1 from copy where number < ?)
         insert into responses (id, team_id, status, background, streamed, create_time, expire_time, body)
         select id || number, team_id, status, background, streamed, create_time, expire_time, body
         from responses, copy where id = ?`,
      )
      .run(copies, id);
    database.close();
    const rows = counter(join(data, "hearth.db"));
    expect(rows()["responses"]).toBe(copies + 1);
    const { clock, ask } = await serve(data, bornAt + 31 * dayMs);
    clock.advance(0);
    let answered = 0;
    for (; rows()["responses"] !== answered; answered += 1) {
      await clock.whenWaiting(20);
      clock.advance(20);
      await ask.create({ input: "Hello" });
    }
    expect(answered).toBeGreaterThan(10);
  });
});

describe("the bound on stored responses", () => {
  it("refuses what would be stored beyond it by name, and nothing else", async () => {
    const ask = askerOf((await compose(() => ["Good day."], { jobs: { responsesMax: 2 } })).url);
    const first = await ask.create({ input: "One" });
    const second = await ask.create({ input: "Two", background: true });
    await ask.findAs(second.id, "completed");
    for (const fields of [{}, { stream: true }, { background: true }]) await refuses(ask, fields);
    const unstored = await ask.create({ input: "Three", store: false, previous_response_id: first.id });
    expect(unstored.status).toBe("completed");
    await ask.send("DELETE", `/${first.id}`);
    await expect(ask.create({ input: "Three" })).resolves.toMatchObject({ store: true });
    await refuses(ask, {});
  });

  it("counts what was stored before the server started", async () => {
    const data = join(temporaryFolder(), "data");
    const environment = { HEARTH_DATA: data, HEARTH_RESPONSES_MAX: "1" };
    const engine = () => createScriptedEngine(() => ["Good day."]);
    const first = await startApp(environment, { engine: engine() });
    await askerOf(first.url, testKey, builtInModel).create({ input: "One" });
    await first.app.close();
    const second = await startApp(environment, { engine: engine() });
    await refuses(askerOf(second.url, testKey, builtInModel), { model: builtInModel });
  });
});

async function refuses(ask: Asker, fields: object): Promise<void> {
  const { status, body } = await ask.send("POST", "", { model: "ember-1m", input: "More", ...fields });
  expect([status, body]).toMatchObject([
    503,
    { error: { code: "storage_full", message: expect.stringContaining("responsesMax") as string } },
  ]);
}

/** Counts the rows of the tables of responses through a connection of its own. */
function counter(file: string): () => Record<string, number> {
  return () => {
    const database = new Database(file, { readonly: true });
    const count = (table: string): number =>
      database.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()?.n ?? -1;
    const tables = ["responses", "response_items", "response_events"];
    const rows = Object.fromEntries(tables.map((table) => [table, count(table)]));
    database.close();
    return rows;
  };
}
