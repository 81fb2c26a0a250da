import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../kit/scripted/engine.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { until } from "../../../kit/until.js";
import { chat, list } from "./logged.js";

interface Message {
  readonly role: string;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

interface Details {
  readonly id: string;
  readonly bodies?: {
    readonly input: readonly Message[];
    readonly output: readonly Message[];
    readonly isCut: boolean;
  };
}

/** A server, and a team of it that keeps bodies. */
async function keeping(script: Script = () => ["Good", " day."], environment: NodeJS.ProcessEnv = {}) {
  const server = await startServer({ accounts: "managed", engine: script, environment });
  const teamId = await server.createTeam();
  await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
  const { apiKey } = await server.createKey(teamId, { acls: allAcls });
  const keep = (keepBodies: boolean, credential?: string) =>
    server.request("PUT", `/auth/teams/${teamId}`, { team: { keepBodies } }, credential);
  await keep(true);
  const ask = async (content: string, more: object = {}, path = "/v1/chat/completions") => {
    const body = { ...chat, messages: [{ role: "user", content }], ...more };
    const answer = await server.request("POST", path, body, apiKey);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return newest(server);
  };
  return { server, teamId, apiKey, keep, ask };
}

/** Returns the newest request with its details. */
async function newest(server: ManagedServer, credential?: string): Promise<Details> {
  const [first] = (await list(server)).requests;
  return detailsOf(server, first?.id ?? "", credential);
}

async function detailsOf(server: ManagedServer, id: string, credential?: string): Promise<Details> {
  return (await server.request("GET", `/admin/requests/${id}`, undefined, credential)).body as Details;
}

/** Whether any file of the data folder contains a text. */
function isOnDisk({ data }: ManagedServer, text: string): boolean {
  return readdirSync(data, { recursive: true, encoding: "utf8" })
    .map((name) => join(data, name))
    .filter((file) => statSync(file).isFile())
    .some((file) => readFileSync(file).includes(text));
}

const text = (content: string) => ({ type: "text", content });

describe("bodies of requests", () => {
  it("are kept for a team that wants it, from its next request on, and for no other", async () => {
    const { server, keep, ask } = await keeping();
    const { apiKey: other } = await server.createKey(await server.createTeam("other"), { acls: allAcls });
    await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
    const kept = await ask("What is kept?");
    expect(kept.bodies).toEqual({
      input: [{ role: "user", parts: [text("What is kept?")] }],
      output: [{ role: "assistant", parts: [text("Good day.")], finish_reason: "stop" }],
      isCut: false,
      expireTime: expect.any(String) as string,
    });
    await server.request("POST", "/v1/chat/completions", chat, other);
    expect((await newest(server)).bodies).toBeUndefined();
    await keep(false);
    expect((await ask("What is not?")).bodies).toBeUndefined();
    expect(JSON.stringify(await list(server))).not.toContain("What is");
  });

  it("are kept in each dialect, with tools, of streams and of embeddings, and never with store: false", async () => {
    const { ask } = await keeping();
    const messages = await ask(
      "",
      { max_tokens: 20, messages: [{ role: "user", content: "M" }], stream: false },
      "/v1/messages",
    );
    expect(messages.bodies?.input).toEqual([{ role: "user", parts: [text("M")] }]);
    const responses = await ask(
      "",
      { messages: undefined, input: "R", instructions: "Be kind." },
      "/v1/responses",
    );
    expect(responses.bodies?.input.map(({ role }) => role)).toEqual(["system", "user"]);
    const completion = await ask("", { messages: undefined, prompt: "P" }, "/v1/completions");
    expect(completion.bodies?.input).toEqual([{ role: "user", parts: [text("P")] }]);
    const calls = [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } }];
    const tools = await ask("", {
      messages: [
        { role: "user", content: "1?" },
        { role: "assistant", content: null, tool_calls: calls },
        { role: "tool", tool_call_id: "c1", content: "2" },
      ],
    });
    expect(tools.bodies?.input.slice(1)).toEqual([
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "add", arguments: '{"a":1}' }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "2" }] },
    ]);
    for (const path of ["/v1/chat/completions", "/v1/responses"]) {
      const more = path === "/v1/responses" ? { messages: undefined, input: "Hidden" } : {};
      expect((await ask("Hidden", { ...more, store: false }, path)).bodies).toBeUndefined();
    }
  });

  it("are cut to the limit, the end of a conversation is kept, and it says so", async () => {
    const { ask } = await keeping(() => ["y".repeat(5000)], { HEARTH_REQUEST_BODY_CHARS_MAX: "1000" });
    const messages = [
      { role: "user", content: "a".repeat(300) },
      { role: "assistant", content: "b".repeat(300) },
      { role: "user", content: "c".repeat(500) },
    ];
    const { bodies } = await ask("", { messages });
    expect(bodies?.isCut).toBe(true);
    const kept = bodies?.input.map(({ parts }) => String(parts[0]?.["content"]));
    expect(kept?.map((each) => each[0])).toEqual(["b", "c"]);
    expect(kept?.at(-1)).toHaveLength(500);
    expect(JSON.stringify(bodies?.output).length).toBeLessThan(1200);
  });

  it("are limited in all: the oldest are deleted to make room", async () => {
    const { server, apiKey, ask } = await keeping(undefined, { HEARTH_REQUEST_BODIES_BYTES_MAX: "20000" });
    const long = "x".repeat(200);
    const first = await ask(`first ${long}`);
    for (let sent = 0; sent < 150; sent += 1) {
      server.clock.advance(10);
      const messages = [{ role: "user", content: `${sent} ${long}` }];
      await server.request("POST", "/v1/chat/completions", { ...chat, messages }, apiKey);
    }
    server.clock.advance(10);
    const last = await ask(`last ${long}`);
    const has = async (id: string) => (await detailsOf(server, id)).bodies !== undefined;
    expect([await has(first.id), await has(last.id)]).toEqual([false, true]);
    const { bytes } = await server.database.kysely
      .selectFrom("requestBodiesTotal")
      .selectAll()
      .executeTakeFirstOrThrow();
    const { sum } = await server.database.kysely
      .selectFrom("requestBodies")
      .select((row) => row.fn.sum<number>("bytes").as("sum"))
      .executeTakeFirstOrThrow();
    expect(bytes).toBe(sum);
    expect(bytes).toBeLessThanOrEqual(20_000);
  });

  it("are without secrets, e-mail addresses, named fields and what a pattern matches, and never have a key of this server", async () => {
    const rules = "emails,secrets,field:card,/AB-\\d+/i";
    const { apiKey, ask } = await keeping(undefined, { HEARTH_REQUEST_BODIES_REDACT: rules });
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz";
    const said = `ada@example.com has ${secret}, ${apiKey}, password: hunter22 and ticket ab-1234`;
    const args = JSON.stringify({ card: "4111", note: { Card: [1, 2] }, amount: 5 });
    const calls = [{ id: "c1", type: "function", function: { name: "pay", arguments: args } }];
    const { bodies } = await ask("", {
      messages: [
        { role: "user", content: said },
        { role: "assistant", content: null, tool_calls: calls },
        { role: "tool", tool_call_id: "c1", content: "done" },
      ],
    });
    const [first, second] = bodies?.input ?? [];
    expect(first?.parts[0]?.["content"]).toBe(
      "[redacted] has [redacted], ***, password: [redacted] and ticket [redacted]",
    );
    expect(JSON.parse(String(second?.parts[0]?.["arguments"]))).toEqual({
      card: "[redacted]",
      note: { Card: "[redacted]" },
      amount: 5,
    });
  });

  it("are shown to keys with the ACL only, to members of their own keys, and to nobody of another team", async () => {
    const { server, teamId, ask } = await keeping();
    const { id } = await ask("Who sees this?");
    const without = await server.createManagementKey({ acls: ["team-token:endpoint:ListRequests"] });
    expect((await detailsOf(server, id, without)).bodies).toBeUndefined();
    const withAcl = await server.createManagementKey({
      acls: ["team-token:endpoint:ListRequests", "team-token:endpoint:ReadRequestBodies"],
      teamId,
    });
    expect((await detailsOf(server, id, withAcl)).bodies).toBeDefined();
    const others = await server.createManagementKey({ teamId: await server.createTeam("others") });
    expect((await server.request("GET", `/admin/requests/${id}`, undefined, others)).status).toBe(404);
    const memberId = await server.createMember(teamId, { role: "member" });
    const member = await server.createManagementKey({ memberId, teamId });
    expect((await server.request("GET", `/admin/requests/${id}`, undefined, member)).status).toBe(404);
  });

  it("are an owner's or the operator's to turn on, and the audit log has it", async () => {
    const { server, teamId, keep } = await keeping();
    const managers = await Promise.all(
      (["owner", "admin"] as const).map(async (role) => {
        const email = `${role}@example.com`;
        const memberId = await server.createMember(teamId, { role, email });
        return server.createManagementKey({ memberId, teamId });
      }),
    );
    const [owner, admin] = managers;
    expect((await keep(false, admin)).status).toBe(403);
    expect(await keep(false, owner)).toMatchObject({ status: 200, body: { keepBodies: false } });
    const [event] = await server.stores.audit.page({
      ...{ teamId, order: "descending", after: null, from: null, to: null },
      limit: 1,
    });
    expect(event).toMatchObject({
      action: "UpdateTeam",
      before: { keepBodies: true },
      after: { keepBodies: false },
    });
  });

  it("F19: are in no file of the data folder five seconds after they are deleted, turned off or expired", async () => {
    const { server, keep, ask } = await keeping();
    const gone = async (marker: string): Promise<void> => {
      await until(() => {
        server.clock.advance(5000);
        return !isOnDisk(server, marker);
      });
    };
    const { id } = await ask("marker-of-a-deleted-one");
    expect(isOnDisk(server, "marker-of-a-deleted-one")).toBe(true);
    expect((await server.request("DELETE", `/admin/requests/${id}/bodies`)).status).toBe(200);
    expect((await server.request("DELETE", `/admin/requests/${id}/bodies`)).status).toBe(404);
    expect((await detailsOf(server, id)).bodies).toBeUndefined();
    await gone("marker-of-a-deleted-one");
    await ask("marker-of-one-turned-off");
    await keep(false);
    await gone("marker-of-one-turned-off");
    await keep(true);
    await ask("marker-of-an-expired-one");
    server.clock.jump(8 * 86_400_000);
    await gone("marker-of-an-expired-one");
  });
});
