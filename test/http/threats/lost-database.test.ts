import { copyFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/database.js";
import { temporaryFolder } from "../../kit/folder.js";
import { runProgram } from "../../kit/program.js";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { reasonsNotReady } from "./readiness.js";

describe("F17: a database whose file is gone while the server runs:", () => {
  const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }] };
  const gone: readonly [string, (file: string) => void, string][] = [
    ["removed", (file) => renameSync(file, `${file}.away`), "the database file hearth.db was removed"],
    ["replaced", replace, "the database file hearth.db was replaced"],
    [
      "replaced beside its log",
      (file) => replace(`${file}-wal`),
      "the database file hearth.db-wal was replaced",
    ],
    ["emptied", (file) => truncateSync(file), "the database file hearth.db was emptied"],
  ];
  it.each(gone)(
    "%s, accepts no write, which would be lost, and says so in /readyz and once in the log",
    async (_, spoil, reason) => {
      const problems: unknown[] = [];
      const logger = { info: () => undefined, warn: () => undefined, error: log };
      function log(fields: object, message: string): void {
        if (message === "the database cannot be used") problems.push(fields);
      }
      const server = await startServer({ accounts: "managed", logger });
      const before = await server.createTeam("before");
      spoil(join(server.data, "hearth.db"));
      server.clock.advance(6000);
      await until(() => problems.length > 0);
      expect(await reasonsNotReady(server)).toEqual([reason]);
      for (const [path, body, key] of [
        ["/v1/chat/completions", chat, server.apiKey],
        ["/auth/teams", { name: "after" }, undefined],
      ] as const)
        expect((await server.request("POST", path, body, key)).status).toBe(503);
      const { body } = await server.request("GET", "/auth/teams");
      expect(JSON.stringify(body)).toContain(before);
      expect(JSON.stringify(body)).not.toContain("after");
      server.clock.advance(60_000);
      expect(problems).toEqual([{ problem: reason }]);
    },
  );

  it("put back in its place, is written again, and has lost nothing", async () => {
    const server = await startServer({ accounts: "managed" });
    const file = join(server.data, "hearth.db");
    renameSync(file, `${file}.away`);
    expect(await reasonsNotReady(server)).toEqual(["the database file hearth.db was removed"]);
    renameSync(`${file}.away`, file);
    server.clock.advance(1000);
    expect(await reasonsNotReady(server)).toEqual([]);
    expect((await server.request("POST", "/v1/chat/completions", chat, server.apiKey)).status).toBe(200);
    expect(await server.stores.ledger.verify()).toEqual([]);
  });

  function replace(file: string): void {
    renameSync(file, `${file}.away`);
    copyFileSync(`${file}.away`, file);
  }
});

it("F17: a start ends with one sentence where a database was lost, unless the operator asks for a new one", async () => {
  const data = join(temporaryFolder(), "data");
  await (await openDatabase(join(data, "hearth.db"))).close();
  rmSync(join(data, "hearth.db"));
  const environment = { HEARTH_DATA: data, HEARTH_PORT: "0" };
  const refused = runProgram(["start"], environment);
  expect(await refused.exited).toBe(1);
  expect(refused.stderr()).toBe(
    `hearth: cannot use the database ${join(data, "hearth.db")}: it is missing, but hearth.db-created shows that there ` +
      "was a database: put the file or a backup back, or start with an empty one with `hearth start --new-database`\n",
  );
  expect(refused.stdout()).toBe("");
  const started = runProgram(["start", "--new-database"], environment);
  expect((await fetch(`${await started.line(/^listening on (\S+)$/)}/readyz`)).status).toBe(200);
});
