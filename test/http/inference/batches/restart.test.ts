import { describe, expect, it, vi } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { startServer } from "../../../kit/server.js";
import { gate, eventually } from "../../../kit/until.js";
import {
  chatLine,
  clientOf,
  createBatch,
  linesOf,
  refuseChanges,
  whenEnded,
} from "../../../kit/clients/batches.js";

/** Echoes the first word of the user. */
const echo = () => createScriptedEngine((prompt) => [`echo ${/user: (\S+)/.exec(prompt)?.[1] ?? ""}`]);
const lines = [chatLine("first", "now"), chatLine("second", "wait"), chatLine("third", "now")];

/** Starts a server that answers lines one at a time, and waits in one that says "wait". */
async function serve() {
  const engine = createScriptedEngine((prompt) =>
    prompt.includes("wait") ? [gate().opened] : [`early ${/user: (\S+)/.exec(prompt)?.[1] ?? ""}`],
  );
  const failed = vi.fn();
  const logger = { info: () => undefined, warn: () => undefined, error: failed };
  const server = await startServer({
    accounts: "managed",
    engine,
    logger,
    environment: { HEARTH_JOBS_ACTIVE_MAX: "1" },
  });
  return { server, client: clientOf(server), engine, failed };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** Stops the server, and starts another over its data. @returns a client of it. */
async function restart({ server }: Served) {
  await server.app.close();
  return clientOf(
    await startServer({ accounts: "managed", engine: echo(), environment: { HEARTH_DATA: server.data } }),
  );
}

async function waitForLine({ client, engine }: Served) {
  const batch = await createBatch(client, lines);
  await eventually(() => expect(engine.active).toBe(1));
  return batch;
}

async function contentsOf(client: Served["client"], fileId: string | null | undefined) {
  const answers = await linesOf(client, fileId);
  return answers.map(({ response }) => response?.body.choices?.[0]?.message?.content);
}

describe("a batch continues after a restart", () => {
  it("while it is validating: from its first line", async () => {
    const served = await serve();
    const accept = refuseChanges(served.server.data, "insert on batch_lines when new.line = 2");
    const batch = await createBatch(served.client, lines);
    await eventually(() => expect(served.failed).toHaveBeenCalled());
    expect((await served.client.batches.retrieve(batch.id)).status).toBe("validating");
    accept();
    const client = await restart(served);
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({ status: "completed", request_counts: { total: 3, completed: 3 } });
    expect(await contentsOf(client, ended.output_file_id)).toEqual(["echo now", "echo wait", "echo now"]);
  });

  it("while it is in progress: with the lines that have no answer", async () => {
    const served = await serve();
    const batch = await waitForLine(served);
    expect((await served.client.batches.retrieve(batch.id)).status).toBe("in_progress");
    const client = await restart(served);
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({
      status: "completed",
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
    expect(await contentsOf(client, ended.output_file_id)).toEqual(["early now", "echo wait", "echo now"]);
  });

  it("while it is being cancelled: with what was answered, and no further line", async () => {
    const served = await serve();
    const batch = await waitForLine(served);
    expect((await served.client.batches.cancel(batch.id)).status).toBe("cancelling");
    const client = await restart(served);
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({ status: "cancelled", request_counts: { total: 3, completed: 1 } });
    expect(await contentsOf(client, ended.output_file_id)).toEqual(["early now"]);
    expect(await linesOf(client, ended.error_file_id)).toMatchObject([
      { custom_id: "second", response: null, error: { code: "batch_cancelled" } },
      { custom_id: "third", response: null, error: { code: "batch_cancelled" } },
    ]);
  });

  it("while it is finalizing: no line is answered twice, and its files are written once", async () => {
    const served = await serve();
    const accept = refuseChanges(served.server.data, "update on batches when new.end_time is not null");
    const batch = await createBatch(served.client, [chatLine("first", "now")]);
    await eventually(() => expect(served.failed).toHaveBeenCalled());
    expect((await served.client.batches.retrieve(batch.id)).status).toBe("finalizing");
    accept();
    const client = await restart(served);
    const ended = await whenEnded(client, batch);
    expect(ended).toMatchObject({ status: "completed", request_counts: { total: 1, completed: 1 } });
    expect(await contentsOf(client, ended.output_file_id)).toEqual(["early now"]);
    const outputs = (await client.files.list()).data.filter(({ purpose }) => purpose === "batch_output");
    expect(outputs.map(({ id }) => id)).toEqual([ended.output_file_id]);
  });
});
