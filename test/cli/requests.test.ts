import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { openServer } from "../../src/app/operator/open.js";
import { addRequestsCommand } from "../../src/cli/requests/requests.js";
import { loadConfig } from "../../src/config/config.js";

import { startServer } from "../kit/server.js";
import { allAcls } from "../kit/server/management.js";
import { builtInModel } from "../kit/server/settings.js";
import { until } from "../kit/until.js";

/** A server with two teams, and the command against it. */
async function served(environment: NodeJS.ProcessEnv = {}) {
  const never = new Promise(() => undefined);
  const script = (prompt: string) => (prompt.includes("Wait") ? ["Good", never] : ["Good", " day."]);
  const server = await startServer({ accounts: "managed", engine: script });
  const sideOf = async (name: string) => {
    const teamId = await server.createTeam(name);
    await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
    return server.createKey(teamId, { name: `key of ${name}`, acls: allAcls });
  };
  const sides = { ada: await sideOf("ada"), bob: await sideOf("bob") };
  const loaded = loadConfig({
    HEARTH_PORT: new URL(server.url).port,
    HEARTH_DATA: server.data,
    ...environment,
  });
  const hearth = async (...words: string[]): Promise<string> => {
    let printed = "";
    const program = new Command("hearth").exitOverride().configureOutput({ writeErr: () => undefined });
    addRequestsCommand(program, () => openServer(loaded.config), {
      clock: server.clock,
      out: { write: (text) => (printed += text) },
      err: { write: () => true },
    });
    await program.parseAsync(words, { from: "user" });
    return printed;
  };
  const ask = (key: string, content = "Hello") =>
    server.request(
      "POST",
      "/v1/chat/completions",
      { model: builtInModel, messages: [{ role: "user", content }] },
      key,
    );
  return { server, sides, hearth, ask };
}

describe("hearth requests", () => {
  it("lists requests with what they used and cost, and filters them by names", async () => {
    const { hearth, ask, sides, server } = await served();
    await ask(sides.ada.apiKey);
    server.clock.advance(7_200_000);
    await ask(sides.bob.apiKey);
    const all = await hearth("requests");
    expect(all).toMatch(
      /^ID +STATUS +KEY +MODEL +ROUTE +PROMPT +ANSWER +FIRST +TOOK +COST USD +ACCEPTED\n[\w-]+ +completed +key of bob .*just now\n[\w-]+ +completed +key of ada .* 2 +0\.00 s +0\.00 s +0\.\d+ +2 hours ago\n$/,
    );
    const [, bob = "", ada = ""] = all.split("\n");
    const rowsOf = async (...options: string[]) => {
      const rows = (await hearth("requests", "ls", ...options)).trim().split("\n").slice(1);
      return rows.map((row) => row.split(" ")[0]);
    };
    const [bobs, adas] = [bob.split(" ")[0], ada.split(" ")[0]];
    expect(await rowsOf("--team", "ada")).toEqual([adas]);
    expect(await rowsOf("--key", sides.bob.apiKeyId)).toEqual([bobs]);
    expect(await rowsOf("--since", "1h")).toEqual([bobs]);
    expect(await rowsOf("--until", "1h", "--status", "completed", "--model", builtInModel)).toEqual([adas]);
    expect(await rowsOf("--limit", "1")).toEqual([bobs]);
    expect(await rowsOf("--query", "KEY of ada")).toEqual([adas]);
    const json = JSON.parse(await hearth("requests", "--json")) as readonly { readonly id: string }[];
    expect(json.map(({ id }) => id)).toEqual([bobs, adas]);
  });

  it("shows a request, and that nothing is kept of it", async () => {
    const { hearth, ask, sides } = await served();
    await ask(sides.ada.apiKey);
    const [{ id }] = JSON.parse(await hearth("requests", "--json")) as [{ readonly id: string }];
    expect(await hearth("requests", "show", id)).toMatch(
      new RegExp(
        `^id +${id}\\n[^]*\\nstatus +completed\\n[^]*\\n\\nWhat it and its answer had was not kept\\.\\n$`,
      ),
    );
    await expect(hearth("requests", "show", "nothing")).rejects.toThrow("Cannot find request");
  });

  it("cancels a request in progress, and says why it cannot cancel another", async () => {
    const { hearth, ask, sides, server } = await served();
    const waiting = ask(sides.ada.apiKey, "Wait");
    await until(() => server.app.scheduler.load.running === 1);
    const [running] = JSON.parse(await hearth("requests", "--status", "running", "--json")) as [
      { readonly id: string },
    ];
    expect(await hearth("requests", "cancel", running.id)).toBe(`cancelled ${running.id}\n`);
    expect((await waiting).status).toBe(503);
    await expect(hearth("requests", "cancel", running.id)).rejects.toThrow(/has ended/);
    await expect(hearth("requests", "cancel", "nothing")).rejects.toThrow("Cannot find request");
  });

  it("fails with a reason without a server, and where the data folder takes no socket", async () => {
    const { hearth } = await served({ HEARTH_PORT: "1", HEARTH_DATA: "/nowhere" });
    await expect(hearth("requests")).rejects.toThrow(/^no server is running at http:\/\/127\.0\.0\.1:1;/);
    const other = await served({ HEARTH_DATA: `/${"long/".repeat(30)}` });
    await expect(other.hearth("requests")).rejects.toThrow(
      /^commands cannot reach a server whose data folder/,
    );
  });

  it("refuses a time that is none with wrong usage", async () => {
    const { hearth } = await served();
    await expect(hearth("requests", "--since", "yesterday")).rejects.toThrow(/must be like 2h/);
  });
});
