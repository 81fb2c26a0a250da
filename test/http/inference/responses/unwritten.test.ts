import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { temporaryFolder } from "../../../kit/folder.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel, testKey } from "../../../kit/server/settings.js";
import { createManualClock } from "../../../kit/manual-clock.js";
import { createResponsesClient } from "../../../kit/clients/responses.js";

/** Starts a server whose database can reject responses, as a full disk does. */
async function serve() {
  const data = join(temporaryFolder(), "data");
  const clock = createManualClock(Date.UTC(2026, 10, 21));
  const engine = createScriptedEngine(() => ["Good day."]);
  const { url } = await startServer({ environment: { HEARTH_DATA: data }, engine, clock });
  const change = (statement: string): void => {
    const database = new Database(join(data, "hearth.db"));
    database.exec(statement);
    database.close();
  };
  return {
    clock,
    client: createResponsesClient(url, testKey, builtInModel),
    refuse: (when: string) =>
      change(`create trigger full before ${when} begin select raise(abort, 'disk full'); end`),
    accept: () => change("drop trigger full"),
  };
}

describe("F11: a response that cannot be stored", () => {
  it("is reported as a failure, never as stored", async () => {
    const { client, refuse, accept } = await serve();
    refuse("insert on responses");
    const whole = await client.send("POST", "", { model: builtInModel, input: "Hello" });
    expect([whole.status, whole.text]).toEqual([500, expect.not.stringContaining("disk")]);
    const events = await (await client.stream({ input: "Hello" })).events();
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "server_error" } } });
    const id = last !== undefined && "response" in last ? last.response.id : "";
    expect((await client.send("GET", `/${id}`)).status).toBe(404);
    await expect(client.create({ input: "Hello", store: false })).resolves.toMatchObject({
      status: "completed",
    });
    accept();
    const { id: stored } = await client.create({ input: "Hello" });
    expect(await client.find(stored)).toMatchObject({ status: "completed" });
  });

  it("is never reported as complete to followers, and runs again or fails once the database is writable", async () => {
    const { client, refuse, accept, clock } = await serve();
    refuse("update of status on responses when new.status = 'completed'");
    const frames = await client.stream({ input: "Hello", background: true });
    const { id: silent } = await client.create({ input: "Hello", background: true });
    const received = (await frames.all()).join("");
    expect(received).not.toContain("response.completed");
    expect(received).toContain("event: error\n");
    const id = /resp_[0-9a-f]{32}/.exec(received)?.[0] ?? "";
    for (const each of [id, silent]) await client.findAs(each, "in_progress");
    accept();
    clock.advance(60_000);
    await client.findAs(silent, "completed");
    const failed = await client.findAs(id, "failed");
    expect(failed.error?.message).toContain("cannot continue");
  });
});
