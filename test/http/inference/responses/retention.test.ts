import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { gate } from "../../../kit/until.js";
import { createManualClock, type ManualClock } from "../../../kit/manual-clock.js";
import { createResponsesClient, type ResponsesClient } from "../../../kit/clients/responses.js";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Number of sweeps: deferred completions, responses, chat completions, labels of runs, bodies of requests, sign-ins, files, approvals of calls, lines of batches, batches, images. */
const tables = 11;
const bornAt = Date.UTC(2026, 10, 21);

/** Starts a server over a data folder at a given time; it does not answer "Wait". */
async function serve(data: string, startTime: number) {
  const clock = createManualClock(startTime);
  const engine = createScriptedEngine((prompt) =>
    prompt.includes("Wait") ? [gate().opened] : ["Good day."],
  );
  const { url, app } = await startServer({ environment: { HEARTH_DATA: data }, engine, clock });
  return { clock, app, client: createResponsesClient(url, testKey, builtInModel) };
}

/** Runs a sweep over all tables. */
async function sweep(clock: ManualClock, dueInMs: number): Promise<void> {
  clock.advance(dueInMs);
  for (let table = 1; table < tables; table += 1) {
    await clock.whenWaiting(20);
    clock.advance(20);
  }
  await clock.whenWaiting(hourMs);
}

describe("a stored response", () => {
  it("is deleted at the first sweep after 30 days, with its items and its stream; an unfinished one stays", async () => {
    const data = join(temporaryFolder(), "data");
    const rows = counter(join(data, "hearth.db"));
    const first = await serve(data, bornAt);
    const old = await first.client.create({ input: "Hello" });
    await (await first.client.stream({ input: "Hello", background: true })).all();
    const slow = await first.client.create({ input: "Wait", background: true });
    await first.client.findAs(slow.id, "in_progress");
    await first.app.close();

    const { clock, client } = await serve(data, bornAt + 30 * dayMs - 1000);
    await sweep(clock, 0);
    expect(rows()).toEqual({ responses: 3, response_items: 5, response_events: 1 });
    const young = await client.create({ input: "Hello", previous_response_id: old.id });
    await sweep(clock, hourMs);
    expect(rows()).toEqual({ responses: 2, response_items: 3, response_events: 0 });
    expect((await client.send("GET", `/${old.id}`)).status).toBe(404);
    expect(await client.find(young.id)).toEqual(young);
    const next = { model: builtInModel, input: "And?", previous_response_id: young.id };
    expect((await client.send("POST", "", next)).body).toMatchObject({
      error: { code: "previous_response_not_found" },
    });
    // It has expired, and is deleted after its end.
    expect(await client.find(slow.id)).toMatchObject({ status: "in_progress" });
    await client.send("POST", `/${slow.id}/cancel`);
    await sweep(clock, hourMs);
    expect(rows()).toEqual({ responses: 1, response_items: 2, response_events: 0 });
  });

  it("is deleted with thousands of others while requests are answered", async () => {
    const data = join(temporaryFolder(), "data");
    const first = await serve(data, bornAt);
    const { id } = await first.client.create({ input: "Hello" });
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
    const { clock, client } = await serve(data, bornAt + 31 * dayMs);
    clock.advance(0);
    let answered = 0;
    for (; rows()["responses"] !== answered; answered += 1) {
      await clock.whenWaiting(20);
      clock.advance(20);
      await client.create({ input: "Hello" });
    }
    expect(answered).toBeGreaterThan(10);
  });
});

describe("the limit of stored responses", () => {
  it("rejects requests that would store beyond it, with the name of the field, and no others", async () => {
    const client = createResponsesClient(
      (await startServer({ engine: () => ["Good day."], config: { responsesMax: 2 } })).url,
    );
    const first = await client.create({ input: "One" });
    const second = await client.create({ input: "Two", background: true });
    await client.findAs(second.id, "completed");
    for (const fields of [{}, { stream: true }, { background: true }]) await refuses(client, fields);
    const unstored = await client.create({ input: "Three", store: false, previous_response_id: first.id });
    expect(unstored.status).toBe("completed");
    await client.send("DELETE", `/${first.id}`);
    await expect(client.create({ input: "Three" })).resolves.toMatchObject({ store: true });
    await refuses(client, {});
  });

  it("counts responses that were stored before the server started", async () => {
    const data = join(temporaryFolder(), "data");
    const environment = { HEARTH_DATA: data, HEARTH_RESPONSES_MAX: "1" };
    const engine = () => createScriptedEngine(() => ["Good day."]);
    const first = await startServer({ environment, engine: engine() });
    await createResponsesClient(first.url, testKey, builtInModel).create({ input: "One" });
    await first.app.close();
    const second = await startServer({ environment, engine: engine() });
    await refuses(createResponsesClient(second.url, testKey, builtInModel), { model: builtInModel });
  });
});

async function refuses(client: ResponsesClient, fields: object): Promise<void> {
  const { status, body } = await client.send("POST", "", { model: "ember-1m", input: "More", ...fields });
  expect([status, body]).toMatchObject([
    503,
    { error: { code: "storage_full", message: expect.stringContaining("responsesMax") as string } },
  ]);
}

/** Counts the rows of the response tables through a separate connection. */
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
