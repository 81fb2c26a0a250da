import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../../src/engine/scripted.js";
import { builtInModel, startApp, temporaryFolder, testKey } from "../../../harness.js";
import { createManualClock } from "../../manual-clock.js";
import { askerOf } from "./responses.js";

/** A server whose database can be made to refuse responses, as a full disk would. */
async function serve() {
  const data = join(temporaryFolder(), "data");
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  const engine = createScriptedEngine(() => ["Good day."]);
  const { url } = await startApp({ HEARTH_DATA: data }, { engine, clock });
  const change = (statement: string): void => {
    const database = new Database(join(data, "hearth.db"));
    database.exec(statement);
    database.close();
  };
  return {
    clock,
    ask: askerOf(url, testKey, builtInModel),
    refuse: (when: string) =>
      change(`create trigger full before ${when} begin select raise(abort, 'disk full'); end`),
    accept: () => change("drop trigger full"),
  };
}

describe("F11: a response that cannot be written", () => {
  it("is answered as a failure, never as one that is stored", async () => {
    const { ask, refuse, accept } = await serve();
    refuse("insert on responses");
    const whole = await ask.send("POST", "", { model: builtInModel, input: "Hello" });
    expect([whole.status, whole.text]).toEqual([500, expect.not.stringContaining("disk")]);
    const events = await (await ask.stream({ input: "Hello" })).events();
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "server_error" } } });
    const id = last !== undefined && "response" in last ? last.response.id : "";
    expect((await ask.send("GET", `/${id}`)).status).toBe(404);
    await expect(ask.create({ input: "Hello", store: false })).resolves.toMatchObject({
      status: "completed",
    });
    accept();
    const { id: stored } = await ask.create({ input: "Hello" });
    expect(await ask.find(stored)).toMatchObject({ status: "completed" });
  });

  it("is not told to be complete to followers, and is made anew or failed when the disk has room again", async () => {
    const { ask, refuse, accept, clock } = await serve();
    refuse("update of status on responses when new.status = 'completed'");
    const frames = await ask.stream({ input: "Hello", background: true });
    const { id: silent } = await ask.create({ input: "Hello", background: true });
    const told = (await frames.all()).join("");
    expect(told).not.toContain("response.completed");
    expect(told).toContain("event: error\n");
    const id = /resp_[0-9a-f]{32}/.exec(told)?.[0] ?? "";
    for (const each of [id, silent]) await ask.findAs(each, "in_progress");
    accept();
    clock.advance(60_000);
    await ask.findAs(silent, "completed");
    const failed = await ask.findAs(id, "failed");
    expect(failed.error?.message).toContain("cannot go on");
  });
});
