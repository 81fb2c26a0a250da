import { describe, expect, it } from "vitest";
import { cliActor } from "../../../../src/accounts/audit/actors.js";
import { foldName } from "../../../../src/accounts/names.js";
import { completeTeamNames } from "../../../../src/accounts/teams/team-names.js";
import { createTeamService } from "../../../../src/accounts/teams/teams.js";
import { systemRandom } from "../../../../src/system/clock.js";
import { startProvider } from "../../../kit/doubles/oidc-provider.js";
import { errorOf, ledToError, openBrowser, startWithProvider } from "./browser.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";

/** Names that look like `research`, or are the same but for case and spacing. */
const alike = [
  "research",
  "Research",
  "RESEARCH",
  " research  ",
  "\u00a0research",
  "re\u200bsearch",
  "re\u00adsearch",
  "research\ufe0f",
  "\uff52esearch",
  "re\u017fearch",
];

const rename = (server: ManagedServer, teamId: string, name: string, secret?: string) =>
  server.request("PUT", `/auth/teams/${teamId}`, { team: { name } }, secret);

function servicesOf({ stores, clock }: ManagedServer) {
  return createTeamService({ ...stores, clock, random: systemRandom });
}

describe("E26: the name of a team", () => {
  it("is not given to a second one, also in another way of writing it", async () => {
    const server = await startServer({ accounts: "managed" });
    await server.createTeam("research");
    const other = await server.createTeam("other");
    const secret = await server.createManagementKey({ teamId: other });
    const answers = async (name: string) => [
      await server.request("POST", "/auth/teams", { name }),
      await rename(server, other, name),
      await rename(server, other, name, secret),
    ];
    for (const name of alike) {
      const statuses = (await answers(name)).map(({ status }) => status);
      expect([name, ...statuses]).toEqual([name, 409, 409, 409]);
      expect((await servicesOf(server).resolve(name)).name).toBe("research");
    }
  });

  it("is unique in the database, whoever writes at the same time", async () => {
    const server = await startServer({ accounts: "managed" });
    const made = await Promise.all(alike.map((name) => server.request("POST", "/auth/teams", { name })));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(alike.length - 1);
    const [one, other] = [await server.createTeam("one"), await server.createTeam("other")];
    const renamed = await Promise.all([one, other].map((teamId) => rename(server, teamId, "same")));
    expect(renamed.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("may change its case, and has letters; it is not that of an id", async () => {
    const server = await startServer({ accounts: "managed" });
    const [one, other] = [await server.createTeam("one"), await server.createTeam("other")];
    expect(await rename(server, one, "One")).toMatchObject({ status: 200, body: { name: "One" } });
    for (const name of ["\u200b", "\u00ad\u2060", other, other.toUpperCase()])
      expect([name, (await rename(server, one, name)).status]).toEqual([name, 400]);
  });

  it("that is the start of the id of another one identifies neither", async () => {
    const server = await startServer({ accounts: "managed" });
    const [one, other] = [await server.createTeam("one"), await server.createTeam("other")];
    const start = one.slice(0, -4);
    expect((await servicesOf(server).resolve(start)).id).toBe(one);
    expect((await rename(server, other, start)).status).toBe(200);
    await expect(servicesOf(server).resolve(start)).rejects.toThrow(/More than one team .*, /);
    expect((await servicesOf(server).resolve(one)).id).toBe(one);
  });

  it("of an older database gets a number where an older team has it; nothing else of the team changes", async () => {
    const server = await startServer({ accounts: "managed" });
    const names = ["research", "Research", "research (2)", " RESEARCH", "\u200b"];
    const { kysely } = server.database;
    const ids: string[] = [];
    for (const [at, name] of names.entries()) {
      const id = await server.createTeam(`team ${at}`);
      await kysely.updateTable("teams").set({ name, nameFolded: null }).where("id", "=", id).execute();
      ids.push(id);
    }
    const deps = { ...server.stores, clock: server.clock, random: systemRandom };
    await completeTeamNames(deps);
    await completeTeamNames(deps);
    const found = new Map((await server.stores.teams.list()).map((team) => [team.id, team.name]));
    expect(ids.map((id) => found.get(id))).toEqual([
      "research",
      "Research (2)",
      "research (2) (2)",
      "RESEARCH (3)",
      "team (2)",
    ]);
    expect(new Set([...found.values()].map(foldName)).size).toBe(found.size);
    expect(await server.stores.teams.idsWithoutFoldedName()).toEqual([]);
    const page = {
      teamId: ids[1] ?? "",
      order: "descending",
      after: null,
      from: null,
      to: null,
      limit: 1,
    } as const;
    expect(await server.stores.audit.page(page)).toMatchObject([
      { actor: "server", before: { name: "Research" }, after: { name: "Research (2)" } },
    ]);
  });
});

describe("E26: a team that oidcGroups names", () => {
  /** A server whose settings name the teams `research` and `guests`, and one that does not exist, `nowhere`. */
  async function start() {
    const provider = await startProvider();
    const server = await startWithProvider(provider);
    const other = await server.createTeam("other");
    return {
      provider,
      server,
      other,
      toSecret: (teamId: string) => server.createManagementKey({ teamId }),
    };
  }

  it("keeps its name, so that no other team gets its people", async () => {
    const { server, other, toSecret: secretOf } = await start();
    for (const secret of [await secretOf(server.research), undefined]) {
      expect(await rename(server, server.research, "elsewhere", secret)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("oidcGroups") as string },
      });
      expect((await rename(server, server.research, "Research", secret)).status).toBe(200);
    }
    expect((await rename(server, other, "research", await secretOf(other))).status).toBe(409);
    expect(errorOf(await openBrowser(server).signIn())).toBe("200 a page");
    expect(await server.stores.members.findByEmail("ada@example.com")).toMatchObject({
      teamId: server.research,
    });
  });

  it.each(["nowhere", "NOWHERE", "no\u200bwhere"])(
    "and that does not exist is made by the operator alone: %j",
    async (name) => {
      const { server, provider, other, toSecret: secretOf } = await start();
      expect((await rename(server, other, name, await secretOf(other))).status).toBe(403);
      provider.person = { ...provider.person, groups: ["lost"] };
      expect(errorOf(await openBrowser(server).signIn())).toBe(ledToError("unknown_team"));
      expect((await rename(server, other, name)).status).toBe(200);
      expect(errorOf(await openBrowser(server).signIn())).toBe("200 a page");
    },
  );

  it("can be named by its id, and then renamed", async () => {
    const provider = await startProvider();
    const first = await startWithProvider(provider);
    await first.app.close();
    const groups = JSON.stringify([{ group: "researchers", team: first.research, role: "member" }]);
    const server = await startWithProvider(provider, { HEARTH_DATA: first.data, HEARTH_OIDC_GROUPS: groups });
    expect((await rename(server, first.research, "elsewhere")).status).toBe(200);
    await servicesOf(server).create({ name: "research" }, cliActor);
    expect(errorOf(await openBrowser(server).signIn())).toBe("200 a page");
    expect(await server.stores.members.findByEmail("ada@example.com")).toMatchObject({
      teamId: first.research,
    });
  });
});
