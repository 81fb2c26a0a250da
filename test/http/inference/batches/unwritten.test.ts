import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer } from "../../../kit/server.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { contentNames } from "../../../kit/clients/uploads.js";
import { eventually } from "../../../kit/until.js";
import {
  chatLine,
  clientOf,
  createBatch,
  linesOf,
  refuseChanges,
  whenEnded,
} from "../../../kit/clients/batches.js";

/** Longer than what is inserted in one transaction. */
const lines = Array.from({ length: 250 }, (_, at) => chatLine(`line-${at}`, "Hello"));

/** Starts a server whose database can reject changes, as a full disk does. */
async function serve() {
  const failed = vi.fn();
  const logger = { info: () => undefined, warn: () => undefined, error: failed };
  const engine = createScriptedEngine(() => ["Good day."]);
  const server = await startServer({
    accounts: "managed",
    engine,
    logger,
    environment: { HEARTH_TEAM_BATCHES_MAX: "1", HEARTH_JOBS_ACTIVE_MAX: "16" },
  });
  return {
    server,
    client: clientOf(server),
    failed,
    refuse: (when: string) => refuseChanges(server.data, when),
  };
}

describe("a batch whose changes cannot be written", () => {
  it("is validated again once the database is writable", async () => {
    const { server, client, failed, refuse } = await serve();
    const accept = refuse("insert on batch_lines when new.line = 230");
    const created = await createBatch(client, lines);
    await eventually(() => expect(failed).toHaveBeenCalled());
    expect((await client.batches.retrieve(created.id)).status).toBe("validating");
    accept();
    server.clock.advance(30_000);
    const batch = await whenEnded(client, created);
    expect(batch).toMatchObject({ status: "completed", request_counts: { total: 250, completed: 250 } });
    expect(await linesOf(client, batch.output_file_id)).toHaveLength(250);
  });

  it("leaves no files when it cannot end, and ends once the database is writable", async () => {
    const { server, client, failed, refuse } = await serve();
    const accept = refuse("update on batches when new.end_time is not null");
    const created = await createBatch(client, [
      chatLine("good", "Hello"),
      chatLine("bad", "Hello", { temperature: 9 }),
    ]);
    await eventually(() => expect(failed).toHaveBeenCalledOnce());
    server.clock.advance(30_000);
    await eventually(() => expect(failed).toHaveBeenCalledTimes(2));
    expect(contentNames(server.data)).toEqual([created.input_file_id]);
    accept();
    server.clock.advance(30_000);
    const batch = await whenEnded(client, created);
    expect(batch).toMatchObject({ status: "completed", request_counts: { completed: 1, failed: 1 } });
    expect(contentNames(server.data)).toEqual(
      [batch.input_file_id, batch.output_file_id, batch.error_file_id].toSorted(),
    );
  });

  it("is not created when its requests cannot be stored", async () => {
    const { server, client, refuse } = await serve();
    const create = () => {
      const params = { model: builtInModel, max_tokens: 1, messages: [{ role: "user", content: "Hello" }] };
      const requests = lines.map((_, at) => ({ custom_id: `r-${at}`, params }));
      return server.request("POST", "/v1/messages/batches", { requests }, server.apiKey);
    };
    const accept = refuse("insert on batch_lines when new.line = 230");
    expect((await create()).status).toBe(500);
    expect(
      (await server.request("GET", "/v1/messages/batches", undefined, server.apiKey)).body,
    ).toMatchObject({
      data: [],
    });
    accept();
    // It does not count against the one batch that the team may have.
    expect((await create()).status).toBe(200);
    await whenEnded(client, await vi.waitFor(() => createBatch(client, [chatLine("a", "Hello")]), 20_000));
  });
});
