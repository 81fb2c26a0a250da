import { join } from "node:path";
import { Command } from "commander";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { openOperator } from "../../../src/app/operator/open.js";
import { addAccountCommands } from "../../../src/cli/accounts/accounts.js";
import { loadConfig } from "../../../src/config/config.js";
import { startServer, fileServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { exchange } from "../../kit/clients/raw.js";
import { openDatabase } from "../../../src/store/database.js";

const shared = fileServer({ accounts: "managed" });

/** Characters that forge a line, move the cursor of a terminal, or reverse the direction of text. */
const hostile = [
  "one\r\n2026-01-01T00:00:00Z cli Created the team 'x'",
  "\u001b[2J\u001b[1;1H",
  "\u001b]0;title\u0007",
  "a\u009b31mb",
  "a\u0000b",
  "a\u2028b",
  "a\u202egnp.exe",
  "a\u2066b\u2069",
];
// oxlint-disable-next-line no-control-regex -- the test needs control characters
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe("E16: a text with control characters for terminals or logs", () => {
  it.each(hostile)("%j is no name for a key or a team", async (name) => {
    const server = shared();
    const teamId = await server.createTeam();
    const { apiKeyId } = await server.createKey(teamId);
    for (const [method, path, body] of [
      ["POST", "/auth/teams", { name }],
      ["PUT", `/auth/teams/${teamId}`, { team: { name } }],
      ["POST", `/auth/teams/${teamId}/api-keys`, { name }],
      ["PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { name } }],
    ] as const) {
      const answer = await server.request(method, path, body);
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/^name/) as string },
      });
    }
  });

  it("that is in the database is printed as harmless characters, on one line", async () => {
    // The test lists all teams.
    const server = await startServer({ accounts: "managed" });
    const database = await openDatabase(join(server.data, "hearth.db"));
    const teamId = await server.createTeam("plain");
    await server.createKey(teamId, { name: "plain" });
    for (const name of hostile) {
      await database.kysely.updateTable("teams").set({ name }).where("id", "=", teamId).execute();
      await database.kysely.updateTable("apiKeys").set({ name }).where("teamId", "=", teamId).execute();
      for (const words of [["teams", "ls"], ["keys", "ls"], ["audit"]]) {
        const printed = await hearth(server.data, words);
        expect(printed).not.toMatch(unprintable);
        const events = (
          await server.stores.audit.page({
            teamId: null,
            order: "ascending",
            after: null,
            from: null,
            to: null,
            limit: 99,
          })
        ).length;
        expect(printed.trimEnd().split("\n")).toHaveLength(words[0] === "audit" ? events + 1 : 3);
      }
    }
    await database.close();
  });

  it("in any field of a request stays within its line of the log", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const server = await startServer({ accounts: "managed", logger });
    const before = lines.length;
    for (const text of hostile) {
      const messages = [{ role: "user", content: text, name: text }];
      const body = { model: builtInModel, messages, user: text, metadata: { [text]: text }, stop: text };
      expect((await server.request("POST", "/v1/chat/completions", body, server.apiKey)).status).toBe(200);
      await server.request("POST", "/v1/chat/completions", { ...body, model: text }, server.apiKey);
      await server.request("GET", `/v1/models/${encodeURIComponent(text)}`, undefined, server.apiKey);
      await server.request("GET", `/nowhere/${encodeURIComponent(text)}`);
    }
    expect(lines.length - before).toBe(4 * hostile.length);
    for (const line of lines) {
      expect(line).toMatch(/^\{.*\}\n$/);
      expect(line.slice(0, -1)).not.toMatch(unprintable);
      expect(() => void JSON.parse(line)).not.toThrow();
    }
  });

  it("never becomes a header of a response", async () => {
    const server = shared();
    const port = Number(new URL(server.url).port);
    for (const path of [
      "/v1/models/x%0d%0aset-cookie:%20a=b",
      "/%0d%0aset-cookie:%20a=b",
      "/v1/models?x=%0d%0aset-cookie:%20a=b",
    ]) {
      const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.apiKey}\r\nX-Request-Id: a%0d%0aset-cookie: a=b\r\nConnection: close\r\n\r\n`;
      const [headers = ""] = (await exchange(port, head)).split("\r\n\r\n");
      expect(headers).toMatch(/^HTTP\/1.1 [24]0/);
      expect(headers.toLowerCase()).not.toContain("set-cookie");
    }
  });
});

/** Returns the output of a `hearth` command next to the running server. */
async function hearth(data: string, words: readonly string[]): Promise<string> {
  let printed = "";
  const program = new Command("hearth").exitOverride();
  const { config } = loadConfig({ HEARTH_DATA: data });
  const clock = { now: () => Date.UTC(2026, 10, 21, 13), monotonic: () => 0, after: () => () => undefined };
  addAccountCommands(program, () => openOperator(config), {
    clock,
    out: { write: (text) => (printed += text) },
    err: { write: () => true },
  });
  await program.parseAsync(words, { from: "user" });
  return printed;
}
