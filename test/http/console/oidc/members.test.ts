import { describe, expect, it } from "vitest";
import type { Member } from "../../../../src/accounts/principals/member.js";
import { startProvider, type TestPerson } from "../../../kit/doubles/oidc-provider.js";
import { newLink, openPage, password } from "../pages.js";
import { errorOf, ledToError, openBrowser, startWithProvider } from "./browser.js";

const ada = { sub: "ada", email: "ada@example.com", email_verified: true } as const;
const eve = { sub: "eve", email: "eve@example.com", email_verified: true } as const;

/** A server with its provider, and what a sign-in of a person leads to. */
async function start(environment: NodeJS.ProcessEnv = {}) {
  const provider = await startProvider();
  const server = await startWithProvider(provider, environment);
  const browser = openBrowser(server);
  return {
    provider,
    server,
    browser,
    signIn: async (person: TestPerson): Promise<string> => {
      provider.person = person;
      return errorOf(await browser.signIn());
    },
    member: async (email: string): Promise<Partial<Member> | null> => {
      const found = await server.stores.members.findByEmail(email);
      return found === null ? null : { teamId: found.teamId, role: found.role };
    },
    acts: async (): Promise<readonly string[]> => {
      const query = {
        teamId: null,
        order: "ascending",
        after: null,
        from: null,
        to: null,
        limit: 1000,
      } as const;
      return (await server.stores.audit.page(query)).map(({ actor, action }) => `${actor} ${action}`);
    },
  };
}

describe("the groups of a person", () => {
  it.each([
    ["one of a team", ["researchers"], { role: "member" }],
    ["of several entries the first one", ["researchers", "leads"], { role: "admin" }],
    ["text instead of a list", "leads", { role: "admin" }],
    ["one of the whole server", ["x", "operators"], { teamId: null, role: "owner" }],
  ])("give a new member a team and a role: %s", async (_, groups, expected) => {
    const { signIn, member, server } = await start();
    expect(await signIn({ ...ada, groups })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: server.research, ...expected });
  });

  it("can be in a claim of another name, and below others", async () => {
    const { signIn, member } = await start({ HEARTH_OIDC_GROUPS_CLAIM: "realm_access.roles" });
    expect(await signIn({ ...ada, realm_access: { roles: ["leads"] } })).toBe("200 a page");
    expect(await member(ada.email)).toMatchObject({ role: "admin" });
  });

  it("refuse who has none of the configuration, or one of a team that does not exist", async () => {
    const { signIn, member } = await start();
    for (const groups of [undefined, [], ["others"], "others"])
      expect(await signIn({ ...ada, ...(groups === undefined ? {} : { groups }) })).toBe(
        ledToError("no_group"),
      );
    expect(await signIn({ ...ada, groups: ["lost"] })).toBe(ledToError("unknown_team"));
    expect(await member(ada.email)).toBeNull();
  });

  it("change the role of a member whom a sign-in created, with the next sign-in, also in open sessions", async () => {
    const { signIn, member, browser, acts, server } = await start();
    await signIn({ ...ada, groups: ["researchers"] });
    const early = openPage(server);
    early.cookie = browser.cookie;
    expect(await signIn({ ...ada, groups: ["leads"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: server.research, role: "admin" });
    expect(await early.send("GET", "/session")).toMatchObject({ body: { member: { role: "admin" } } });
    expect((await acts()).slice(-4).map((act) => act.replace(/^[\w-]{36}/, "session"))).toEqual([
      "oidc CreateMember",
      "session SignIn",
      "oidc UpdateMember",
      "session SignIn",
    ]);
    expect(await signIn({ ...ada, groups: [] })).toBe(ledToError("no_group"));
  });

  it("move a member to another team, without the keys that they had in the former one", async () => {
    const { signIn, member, browser, server } = await start();
    const guests = await server.createTeam("guests");
    await signIn({ ...ada, groups: ["leads"] });
    expect((await browser.send("GET", "/v1/models")).status).toBe(200);
    const { id } = (await server.stores.members.findByEmail(ada.email)) ?? { id: "" };
    await server.createManagementKey({ teamId: server.research, memberId: id });
    const managementKeys = async () =>
      (await server.stores.managementKeys.list()).filter(({ userId }) => userId === id).length;
    expect(await managementKeys()).toBe(1);
    const before = await server.stores.signIns.findSignIn(id);
    expect(await signIn({ ...ada, groups: ["guests"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: guests, role: "member" });
    expect(await server.stores.keys.find(before.apiKeyId ?? "")).toBeNull();
    expect(await managementKeys()).toBe(0);
    expect((await browser.send("GET", `/auth/teams/${server.research}/api-keys`)).status).toBe(404);
    const { body } = await browser.send("GET", "/v1/api-key");
    expect(body).toMatchObject({ team_id: guests });
  });

  it("take no last owner from the server or from a team", async () => {
    const { signIn, member, server } = await start();
    await server.createTeam("guests");
    await signIn({ ...ada, groups: ["operators"] });
    for (const groups of [["leads"], ["researchers"]])
      expect(await signIn({ ...ada, groups })).toBe(ledToError("last_owner"));
    expect(await member(ada.email)).toEqual({ teamId: null, role: "owner" });
    await signIn({ ...eve, groups: ["operators"] });
    expect(await signIn({ ...ada, groups: ["heads"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: server.research, role: "owner" });
    // The owner of a team who leaves it as an owner of another one.
    expect(await signIn({ ...ada, groups: ["operators"] })).toBe(ledToError("last_owner"));
    await server.createMember(server.research, { role: "owner" });
    expect(await signIn({ ...ada, groups: ["operators"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: null, role: "owner" });
  });
});

describe("an existing member", () => {
  it("is linked by the verified e-mail, whatever its case; the groups decide team and role, and the password ends", async () => {
    const { signIn, member, server, acts, browser } = await start();
    await server.createMember(server.research, { email: "Ada@Example.com", role: "owner" });
    const page = openPage(server);
    await page.send("POST", "/sign-in", { link: await newLink(server, ada.email), password });
    expect(await signIn({ ...ada, groups: ["researchers"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: server.research, role: "member" });
    expect(await signIn({ ...ada, email: "new@example.com", groups: ["leads"] })).toBe("200 a page");
    expect(await browser.send("GET", "/session")).toMatchObject({
      body: { member: { email: "Ada@Example.com", role: "admin" } },
    });
    expect((await acts()).filter((act) => act.startsWith("oidc"))).toEqual([
      "oidc LinkMember",
      "oidc UpdateMember",
    ]);
    const again = await openPage(server).send("POST", "/sign-in", { email: ada.email, password });
    expect(again.status).toBe(401);
  });

  it("needs a group of the configuration, too", async () => {
    const { signIn, server } = await start();
    await server.createMember(server.research, { email: ada.email });
    expect(await signIn(ada)).toBe(ledToError("no_group"));
  });

  it("is not linked by an e-mail of which the provider does not say that it is verified", async () => {
    const { signIn, server } = await start();
    await server.createMember(server.research, { email: ada.email });
    const { sub, email } = ada;
    expect(await signIn({ sub, email, groups: ["leads"] })).toBe(ledToError("email_unverified"));
    expect(await signIn({ ...ada, email_verified: "true", groups: ["leads"] })).toBe("200 a page");
  });

  it("is not linked by an e-mail whose letters only look the same", async () => {
    const { signIn, server } = await start();
    await server.createMember(server.research, { email: "kim@example.com", role: "owner" });
    // A full-width k, and the sign of the unit kelvin, whose lower case is k.
    for (const email of ["\uff4bim@example.com", "\u212aim@example.com"])
      expect(await signIn({ ...eve, email, groups: ["leads"] })).toBe(ledToError("linked_otherwise"));
  });

  it("is not linked with a second person who gets their e-mail", async () => {
    const { signIn } = await start();
    expect(await signIn({ ...ada, groups: ["leads"] })).toBe("200 a page");
    const other = { ...eve, email: ada.email, groups: ["operators"] };
    expect(await signIn(other)).toBe(ledToError("linked_otherwise"));
  });

  it("whose team is blocked cannot sign in", async () => {
    const { signIn, server } = await start();
    await server.request("PUT", `/auth/teams/${server.research}`, { team: { blocked: true } });
    expect(await signIn({ ...ada, groups: ["leads"] })).toBe(ledToError("team_blocked"));
  });
});

describe("a new person", () => {
  it("becomes a member without a verified e-mail, unless the provider says that it is not", async () => {
    const { signIn, member } = await start();
    const { sub, email } = ada;
    expect(await signIn({ ...ada, email_verified: false, groups: ["leads"] })).toBe(
      ledToError("email_unverified"),
    );
    expect(await signIn({ sub, groups: ["leads"] })).toBe(ledToError("email_missing"));
    expect(await signIn({ ...ada, email: "nobody", groups: ["leads"] })).toBe(ledToError("email_missing"));
    expect(await member(email)).toBeNull();
    expect(await signIn({ sub, email, groups: ["leads"], given_name: "A\u202eda" })).toBe("200 a page");
    expect(await member(email)).toMatchObject({ role: "admin" });
  });

  it("becomes one member by two first sign-ins at the same time", async () => {
    const { provider, server } = await start();
    provider.person = { ...ada, groups: ["leads"] };
    const browsers = [openBrowser(server), openBrowser(server)];
    const arrivals = await Promise.all(browsers.map((browser) => browser.signIn()));
    expect(arrivals.map(errorOf)).toEqual(["200 a page", "200 a page"]);
    expect(await server.stores.members.count()).toBe(1);
  });
});

describe("a member who was removed", () => {
  it("does not come back by a sign-in, until somebody adds them again", async () => {
    const { signIn, member, server } = await start();
    await signIn({ ...ada, groups: ["leads"] });
    const { id } = (await server.stores.members.findByEmail(ada.email)) ?? { id: "" };
    expect((await server.request("DELETE", `/auth/members/${id}`)).status).toBe(200);
    expect(await signIn({ ...ada, groups: ["leads"] })).toBe(ledToError("member_removed"));
    expect(await signIn({ ...ada, email: "new@example.com", groups: ["operators"] })).toBe(
      ledToError("member_removed"),
    );
    expect(await member(ada.email)).toBeNull();
    await server.createMember(server.research, { email: ada.email });
    expect(await signIn({ ...ada, groups: ["leads"] })).toBe("200 a page");
    expect(await member(ada.email)).toEqual({ teamId: server.research, role: "admin" });
  });
});
