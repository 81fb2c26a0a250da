import { describe, expect, it } from "vitest";
import { builtInModel } from "../../../kit/server/settings.js";
import { fileServer, startServer } from "../../../kit/server.js";
import { eventually } from "../../../kit/until.js";
import { kinds, createStoringTeam, type StoredTeam } from "./stored.js";

const shared = fileServer({ accounts: "managed" });

const never = new Promise(() => undefined);

async function newestEvent({ server, teamId }: StoredTeam): Promise<unknown> {
  const { body } = await server.request("GET", `/audit/teams/${teamId}/events?pageSize=1`);
  return (body as { events: readonly unknown[] }).events[0];
}

describe("what a team has stored", () => {
  it.each(kinds.filter((kind) => kind !== "batches"))(
    "deletes %s, with an entry in the audit log",
    async (kind) => {
      const team = await createStoringTeam(shared());
      const id = await team.create(kind);
      expect(await team.send("DELETE", `${kind}/${id}`)).toEqual({ status: 200, body: {} });
      expect((await team.list(kind)).objects).toEqual([]);
      expect((await team.send("GET", `${kind}/${id}`)).status).toBe(404);
      expect(await newestEvent(team)).toMatchObject({ act: "DeleteStored", objectId: id, before: { kind } });
    },
  );

  it.each([
    ["while it waits for a slot", 3],
    ["while it runs", 0],
  ])("cancels a deferred completion %s: its client gets the error", async (_, index) => {
    const team = await createStoringTeam(
      await startServer({ accounts: "managed", engine: () => ["Good", never] }),
    );
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) {
      ids.push(await team.create("deferred-completions"));
      team.server.clock.advance(1);
    }
    await eventually(() => expect(team.server.app.scheduler.load.running).toBeGreaterThan(0));
    const id = ids[index] ?? "";
    expect((await team.list("deferred-completions", "?state=pending")).objects).toHaveLength(4);
    const answer = await team.send("POST", `deferred-completions/${id}/cancel`);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        state: "failed",
        error: "The deferred completion was cancelled.",
        canCancel: false,
      },
    });
    const path = `/v1/chat/deferred-completion/${id}`;
    const outcome = await team.server.request("GET", path, undefined, team.apiKey);
    expect(outcome).toMatchObject({ status: 503, body: { error: { code: "cancelled" } } });
    expect(await newestEvent(team)).toMatchObject({ act: "CancelStored", objectId: id });
    expect((await team.send("POST", `deferred-completions/${id}/cancel`)).status).toBe(409);
    const jobs = await team.server.database.kysely.selectFrom("jobs").select("id").execute();
    expect(jobs.map((job) => job.id)).not.toContain(id);
  });

  it("deletes a deferred completion that runs: it is as if it never was", async () => {
    const team = await createStoringTeam(
      await startServer({ accounts: "managed", engine: () => ["Good", never] }),
    );
    const id = await team.create("deferred-completions");
    await eventually(() => expect(team.server.app.scheduler.load.running).toBe(1));
    expect((await team.send("DELETE", `deferred-completions/${id}`)).status).toBe(200);
    await eventually(() => expect(team.server.app.scheduler.load.running).toBe(0));
    const path = `/v1/chat/deferred-completion/${id}`;
    expect((await team.server.request("GET", path, undefined, team.apiKey)).status).toBe(404);
  });

  it("cancels a background response, and no other", async () => {
    const team = await createStoringTeam(
      await startServer({
        accounts: "managed",
        engine: (prompt) => (prompt.includes("wait") ? ["Good", never] : ["Good"]),
      }),
    );
    const body = { model: builtInModel, input: "wait", background: true };
    const sent = await team.server.request("POST", "/v1/responses", body, team.apiKey);
    const { id } = sent.body as { id: string };
    await eventually(() => expect(team.server.app.scheduler.load.running).toBe(1));
    expect((await team.list("responses", "?background=true")).objects).toMatchObject([
      { id, canCancel: true },
    ]);
    const cancelled = await team.send("POST", `responses/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { state: "cancelled", canCancel: false } });
    const other = await team.create("responses");
    expect(await team.send("POST", `responses/${other}/cancel`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("Only background responses") as string },
    });
  });

  it("cancels a batch, whose progress can be seen, and deletes it with its results once it has ended", async () => {
    const team = await createStoringTeam(
      await startServer({ accounts: "managed", engine: () => ["Good", never] }),
    );
    const { server, apiKey } = team;
    const id = await team.create("batches");
    await eventually(() => expect(server.app.scheduler.load.running).toBeGreaterThan(0));
    expect(await team.send("DELETE", `batches/${id}`)).toMatchObject({ status: 409 });
    expect((await team.send("GET", `batches/${id}/content`)).status).toBe(409);
    expect((await team.list("batches")).objects).toMatchObject([
      { state: "in_progress", lines: { total: 2, succeeded: 0 }, canCancel: true, canDelete: false },
    ]);
    expect(await team.send("POST", `batches/${id}/cancel`)).toMatchObject({
      status: 200,
      body: { state: "cancelling", canCancel: false },
    });
    const { requests } = (await server.request("GET", "/admin/requests?status=running")).body as {
      requests: readonly { id: string }[];
    };
    for (const request of requests) await server.request("POST", `/admin/requests/${request.id}/cancel`);
    await eventually(async () =>
      expect((await team.list("batches")).objects).toMatchObject([{ canDelete: true }]),
    );
    const results = await fetch(`${server.url}/v1/messages/batches/${id}/results`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const headers = { authorization: `Bearer ${await server.createManagementKey({})}` };
    const download = await fetch(`${server.url}/admin/batches/${id}/content`, { headers });
    expect([download.status, await download.text()]).toEqual([200, await results.text()]);
    expect((await team.send("DELETE", `batches/${id}`)).status).toBe(200);
    expect((await team.list("batches")).objects).toEqual([]);
  });
});

describe("the content of what a team has stored", () => {
  it("E12: is a download that no browser shows, under the name of the file", async () => {
    const team = await createStoringTeam(shared());
    const id = await team.create("files");
    const headers = { authorization: `Bearer ${await team.server.createManagementKey({})}` };
    const answer = await fetch(`${team.server.url}/admin/files/${id}/content`, { headers });
    expect(await answer.text()).toBe('"a text"');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''notes.txt",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  it("is the answer as its API has it", async () => {
    const team = await createStoringTeam(shared());
    const response = await team.create("responses");
    expect((await team.send("GET", `responses/${response}/content`)).body).toEqual(
      (await team.server.request("GET", `/v1/responses/${response}`, undefined, team.apiKey)).body,
    );
    const completion = await team.create("chat-completions");
    expect((await team.send("GET", `chat-completions/${completion}/content`)).body).toMatchObject({
      id: completion,
      choices: [{ message: { content: "Good day." } }],
    });
  });
});
