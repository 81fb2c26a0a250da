import { describe, expect, it } from "vitest";
import { startProvider } from "../../../kit/doubles/oidc-provider.js";
import { openPage, password, signInOwner } from "../pages.js";
import { errorOf, ledToError, openBrowser, startWithProvider } from "./browser.js";

const ada = { sub: "ada", email: "ada@example.com", email_verified: true } as const;

/** A server, the team of a person, and another team with an owner who wants to be that person. */
async function start() {
  const provider = await startProvider();
  provider.person = { ...ada, groups: ["researchers"] };
  const server = await startWithProvider(provider);
  const attackers = await server.createTeam("guests");
  const memberId = await server.createMember(attackers, { role: "owner", email: "eve@example.com" });
  const secret = await server.createManagementKey({ teamId: attackers, memberId });
  const asOwner = (method: string, path: string, body?: unknown) =>
    server.request(method, path, body, secret);
  return { provider, server, attackers, asOwner, memberId, browser: openBrowser(server) };
}

type World = Awaited<ReturnType<typeof start>>;

async function addAda({ asOwner, attackers }: World, fields: object = {}): Promise<string> {
  const body = { email: ada.email, role: "member", ...fields };
  const made = await asOwner("POST", `/auth/teams/${attackers}/members`, body);
  return (made.body as { memberId: string }).memberId;
}

async function linkOf({ asOwner }: World, memberId: string): Promise<string> {
  const { body } = await asOwner("POST", `/auth/members/${memberId}/sign-in-links`);
  return (body as { link: string }).link;
}

/** What the owner of another team does before the person comes. @returns whether the owner is signed in as the person afterwards */
const attacks: Readonly<Record<string, (world: World) => Promise<() => Promise<boolean>>>> = {
  "a password, set by a link of their own": async (world) => {
    const link = await linkOf(world, await addAda(world));
    expect((await openPage(world.server).send("POST", "/sign-in", { link, password })).status).toBe(200);
    return async () => {
      const again = await openPage(world.server).send("POST", "/sign-in", { email: ada.email, password });
      return again.status === 200;
    };
  },
  "a session, begun by a link of their own": async (world) => {
    const page = openPage(world.server);
    await page.send("POST", "/sign-in", { link: await linkOf(world, await addAda(world)), password });
    expect((await page.send("GET", "/session")).status).toBe(200);
    return async () => (await page.send("GET", "/session")).status === 200;
  },
  "an API key, made in a session by a link of their own": async (world) => {
    const memberId = await addAda(world);
    await openPage(world.server).send("POST", "/sign-in", { link: await linkOf(world, memberId), password });
    const secret = await world.server.createManagementKey({ teamId: world.attackers, memberId });
    const made = await world.server.request(
      "POST",
      `/auth/teams/${world.attackers}/api-keys`,
      { name: "kept", acls: ["api-key:endpoint:*"] },
      secret,
    );
    const { apiKey } = made.body as { readonly apiKey: string };
    const reads = async () =>
      (await fetch(`${world.server.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })).ok;
    expect(await reads()).toBe(true);
    return reads;
  },
  "a management key of the person": async (world) => {
    const memberId = await addAda(world);
    const secret = await world.server.createManagementKey({ teamId: world.attackers, memberId });
    return async () => (await world.server.request("GET", "/auth/teams", undefined, secret)).status === 200;
  },
  "a link that is not used yet": async (world) => {
    const link = await linkOf(world, await addAda(world));
    return async () =>
      (await openPage(world.server).send("POST", "/sign-in", { link, password })).status === 200;
  },
  "another address, changed to the person's afterwards": async (world) => {
    const id = await addAda(world, { email: "mallory@example.com" });
    await openPage(world.server).send("POST", "/sign-in", { link: await linkOf(world, id), password });
    const change = { member: { email: ada.email } };
    expect((await world.asOwner("PUT", `/auth/members/${id}`, change)).status).toBe(200);
    return async () => {
      const again = await openPage(world.server).send("POST", "/sign-in", { email: ada.email, password });
      return again.status === 200;
    };
  },
  "the person as the only owner of their team": async (world) => {
    const link = await linkOf(world, await addAda(world, { role: "owner" }));
    await openPage(world.server).send("POST", "/sign-in", { link, password });
    const change = { member: { role: "member" } };
    expect((await world.asOwner("PUT", `/auth/members/${world.memberId}`, change)).status).toBe(200);
    return async () => {
      const again = await openPage(world.server).send("POST", "/sign-in", { email: ada.email, password });
      return again.status === 200;
    };
  },
};

describe("E25: an account that the owner of another team made before its person came, with", () => {
  it.each(Object.entries(attacks))(
    "%s, is the person's alone after the first verified sign-in",
    async (_, attack) => {
      const world = await start();
      const isSignedIn = await attack(world);
      expect(errorOf(await world.browser.signIn())).toBe("200 a page");
      expect(await isSignedIn()).toBe(false);
      expect(await world.browser.send("GET", "/session")).toMatchObject({
        status: 200,
        body: { member: { email: ada.email, role: "member" }, teamName: "research" },
      });
      const member = await world.server.stores.members.findByEmail(ada.email);
      expect(member).toMatchObject({ teamId: world.server.research, role: "member" });
      const query = { order: "descending", after: null, from: null, to: null, limit: 9 } as const;
      const events = await world.server.stores.audit.page({ ...query, teamId: world.server.research });
      expect(events.find(({ action }) => action === "LinkMember")).toMatchObject({
        actor: "oidc",
        before: { teamId: world.attackers },
        after: { teamId: world.server.research, hasPassword: false },
      });
      // Nobody is in the attackers' team as the person.
      const { body } = await world.asOwner("GET", `/auth/teams/${world.attackers}/members`);
      expect(JSON.stringify(body)).not.toContain(ada.email);
    },
  );

  it("an address in letters that look the same, is not made", async () => {
    const world = await start();
    for (const email of ["\uff41da@example.com", "ada\u200b@example.com", "a\u00adda@example.com"]) {
      const made = await world.asOwner("POST", `/auth/teams/${world.attackers}/members`, { email });
      expect([email, made.status]).toEqual([email, 400]);
    }
    expect(errorOf(await world.browser.signIn())).toBe("200 a page");
  });
});

describe("E25: an owner of the team of a member whom the provider signs in", () => {
  it.each(["owner", "admin"])("makes no link and changes no address: %s", async (role) => {
    const { server, browser, provider } = await start();
    expect(errorOf(await browser.signIn())).toBe("200 a page");
    const { id } = (await server.stores.members.findByEmail(ada.email)) ?? { id: "" };
    const ownerId = await server.createMember(server.research, { role });
    const secret = await server.createManagementKey({ teamId: server.research, memberId: ownerId });
    const isOwner = role === "owner";
    const link = await server.request("POST", `/auth/members/${id}/sign-in-links`, undefined, secret);
    expect(link.status).toBe(isOwner ? 409 : 403);
    if (isOwner)
      expect(link.body).toMatchObject({ message: expect.stringContaining("identity provider") as string });
    const change = { member: { email: "eve@example.com" } };
    expect((await server.request("PUT", `/auth/members/${id}`, change, secret)).status).toBe(403);
    provider.person = { sub: "eve", email: "eve@example.com", email_verified: true, groups: [] };
    expect(errorOf(await openBrowser(server).signIn())).toBe(ledToError("no_group"));
    expect(await server.stores.members.findByEmail(ada.email)).toMatchObject({ id });
  });

  it("does not keep the last operator out: groups take no last owner from the server", async () => {
    const { server, browser, provider } = await start();
    const page = openPage(server);
    const owner = await signInOwner(server);
    expect((await owner.send("GET", "/session")).status).toBe(200);
    provider.person = {
      sub: "owner",
      email: "owner@example.com",
      email_verified: true,
      groups: ["researchers"],
    };
    expect(errorOf(await browser.signIn())).toBe(ledToError("last_owner"));
    expect((await owner.send("GET", "/session")).status).toBe(200);
    expect((await page.send("POST", "/sign-in", { email: "owner@example.com", password })).status).toBe(200);
  });
});
