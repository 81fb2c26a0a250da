import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer, fileServer } from "../../kit/server.js";
import { openPage, password, signInMember, signInOwner, type Page } from "./pages.js";

const shared = fileServer({ accounts: "managed" });

const own = { "x-hearth-console": "1" };

async function statusOf(
  server: ManagedServer,
  path: string,
  headers: Record<string, string>,
  method = "GET",
) {
  const response = await fetch(server.url + path, { method, headers });
  await response.text();
  return response.status;
}

describe("the cookie of a session", () => {
  it("is HttpOnly and SameSite=Strict, for /console only, named by the port, and always new", async () => {
    const server = shared();
    const page = openPage(server);
    // E: session fixation: a cookie that another page has set is not adopted.
    page.cookie = `hearth-console-${new URL(server.url).port}=${"a".repeat(43)}`;
    const fixed = page.cookie;
    const signedIn = await signInOwner(server);
    await page.send("POST", "/sign-in", { email: "owner@example.com", password });
    expect(page.cookie).not.toBe(fixed);
    const [pair, ...attributes] = (page.setCookie ?? "").split("; ");
    expect(pair).toMatch(new RegExp(`^hearth-console-${new URL(server.url).port}=[\\w-]{43}$`));
    expect(attributes.filter((each) => !each.startsWith("expires="))).toEqual([
      "path=/console",
      "samesite=strict",
      "httponly",
    ]);
    expect(page.cookie).not.toBe(signedIn.cookie);
    const former = page.cookie;
    await page.send("POST", "/sign-in", { email: "owner@example.com", password });
    expect(page.cookie).not.toBe(former);
    expect(await statusOf(server, "/console/api/session", { ...own, cookie: former })).toBe(401);
  });

  it("has Secure behind a proxy with TLS", async () => {
    const server = await startServer({ accounts: "managed", environment: { HEARTH_TRUST_PROXY: "true" } });
    const page = await signInOwner(server);
    const headers = { "x-forwarded-proto": "https" };
    await page.send("POST", "/sign-in", { email: "owner@example.com", password }, headers);
    expect(page.setCookie).toContain("; secure");
  });

  it("E14: opens no route itself: neither /auth nor /v1, with or without the page's header", async () => {
    // A server has one first owner.
    const server = await startServer({ accounts: "managed" });
    const { cookie } = await signInOwner(server);
    for (const path of ["/auth/teams", "/v1/models", "/admin/models", "/v1/api-key"])
      expect([path, await statusOf(server, path, { ...own, cookie })]).toEqual([path, 401]);
    expect(await statusOf(server, "/console/api/healthz", { ...own, cookie })).toBe(404);
    expect(await statusOf(server, "/console/api/console/api/session", { ...own, cookie })).toBe(404);
  });
});

describe("E5: a request to the console's routes", () => {
  const routes = [
    ["GET", "/console/api/session"],
    ["DELETE", "/console/api/sessions"],
    ["GET", "/console/api/auth/teams"],
    ["POST", "/console/api/v1/chat/completions"],
    ["POST", "/console/api/sign-in"],
  ] as const;

  it.each(routes)(
    "%s %s is refused without the page's header, or from another page",
    async (method, path) => {
      const server = shared();
      const { cookie } = await signInMember(server, await server.createTeam(), "owner");
      const { host } = new URL(server.url);
      const foreign: readonly Record<string, string>[] = [
        {},
        { ...own, origin: "https://evil.example" },
        { ...own, origin: "null" },
        { ...own, origin: "http://127.0.0.1:1" },
        { ...own, "sec-fetch-site": "cross-site" },
        { ...own, "sec-fetch-site": "same-site", origin: `http://${host}` },
        { ...own, "sec-fetch-site": "none" },
      ];
      for (const headers of foreign)
        expect([headers, await statusOf(server, path, { ...headers, cookie }, method)]).toEqual([
          headers,
          403,
        ]);
      const ours: typeof foreign = [{}, { origin: `http://${host}` }, { "sec-fetch-site": "same-origin" }];
      for (const headers of ours)
        expect(await statusOf(server, path, { ...own, ...headers, cookie }, method)).not.toBe(403);
    },
  );

  it("has no CORS headers and no preflight that allows it, whatever origins are listed", async () => {
    const server = await startServer({ accounts: "managed", environment: { HEARTH_CORS_ORIGINS: "*" } });
    const { cookie } = await signInOwner(server);
    const origin = "https://evil.example";
    for (const path of ["/console/api/session", "/console/api/v1/models"])
      for (const method of ["OPTIONS", "GET"]) {
        const asked = {
          "access-control-request-method": "GET",
          "access-control-request-headers": "x-hearth-console",
        };
        const response = await fetch(server.url + path, { method, headers: { origin, cookie, ...asked } });
        await response.text();
        expect(response.headers.has("access-control-allow-origin")).toBe(false);
      }
  });

  it("takes JSON only, of at most 16 KiB", async () => {
    const server = shared();
    const send = (type: string, body: string) =>
      fetch(`${server.url}/console/api/sign-in`, {
        method: "POST",
        headers: { ...own, "content-type": type },
        body,
      });
    expect((await send("text/plain", "{}")).status).toBe(415);
    expect((await send("application/x-www-form-urlencoded", "{}")).status).toBe(415);
    expect((await send("application/json", `"${"a".repeat(17_000)}"`)).status).toBe(413);
  });
});

describe("a member who is signed in", () => {
  const create = (page: Page, teamId: string, name: string) =>
    page.send("POST", `/auth/teams/${teamId}/api-keys`, { name });
  const names = async (page: Page, teamId: string) => {
    const { body } = await page.send("GET", `/auth/teams/${teamId}/api-keys`);
    return (body as { apiKeys: readonly { name: string }[] }).apiKeys.map(({ name }) => name);
  };

  it("manages what their role and team allow, with the permissions of their management keys", async () => {
    // A server has one first owner.
    const server = await startServer({ accounts: "managed" });
    const [teamId, other] = [await server.createTeam("ours"), await server.createTeam("theirs")];
    const [member, admin] = [
      await signInMember(server, teamId, "member"),
      await signInMember(server, teamId, "admin"),
    ];
    const owner = await signInOwner(server);
    expect((await create(member, teamId, "of the member")).status).toBe(200);
    expect((await create(admin, teamId, "of the admin")).status).toBe(200);
    expect(await names(member, teamId)).toEqual(["of the member"]);
    expect(await names(admin, teamId)).toEqual(["of the member", "of the admin"]);
    const { apiKeyId } = (await create(admin, teamId, "another")).body as { apiKeyId: string };
    expect((await member.send("DELETE", `/auth/api-keys/${apiKeyId}`)).status).toBe(404);
    expect((await create(admin, other, "x")).status).toBe(404);
    expect((await create(owner, other, "x")).status).toBe(200);
    const team = { team: { name: "renamed" } };
    expect((await admin.send("PUT", `/auth/teams/${teamId}`, team)).status).toBe(403);
    expect((await owner.send("PUT", `/auth/teams/${teamId}`, team)).status).toBe(200);
    expect((await admin.send("GET", "/admin/models")).status).toBe(403);
    expect((await owner.send("GET", "/admin/models")).status).toBe(200);
  });

  it("calls /v1 with a key of their own in their team, which nobody can use, which lists of keys mark, and which a team disables", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "member");
    const both = await Promise.all([page.send("GET", "/v1/api-key"), page.send("GET", "/v1/models")]);
    expect(both[1].status).toBe(200);
    const { api_key_id: id, ...key } = both[0].body as { api_key_id: string; name: string };
    expect(key).toMatchObject({
      team_id: teamId,
      name: expect.stringMatching("^console of member-") as string,
    });
    expect(await names(page, teamId)).toEqual([key.name]);
    await create(page, teamId, "laptop");
    const { body } = await page.send("GET", `/auth/teams/${teamId}/api-keys`);
    const { apiKeys } = body as { apiKeys: readonly { apiKeyId: string; forConsole?: boolean }[] };
    expect(apiKeys.filter(({ forConsole }) => forConsole).map(({ apiKeyId }) => apiKeyId)).toEqual([id]);
    expect(apiKeys).toHaveLength(2);
    const disabled = { apiKey: { disabled: true } };
    expect((await page.send("PUT", `/auth/api-keys/${id}`, disabled)).status).toBe(200);
    expect((await page.send("GET", "/v1/models")).status).toBe(403);
    expect((await page.send("DELETE", `/auth/api-keys/${id}`)).status).toBe(200);
    expect(((await page.send("GET", "/v1/api-key")).body as { api_key_id: string }).api_key_id).not.toBe(id);
  });

  it("is held to the limits and addresses of that key, which their runs are recorded with", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { billing: "unmetered" } });
    const page = await signInMember(server, teamId, "owner");
    const { body } = await page.send("GET", "/v1/api-key");
    const { api_key_id: id } = body as { api_key_id: string };
    const change = (apiKey: object) => page.send("PUT", `/auth/api-keys/${id}`, { apiKey });
    const path = "/v1/tokenize-text";
    const count = async () =>
      (await page.send("POST", path, { model: "hearth-tiny-5m", text: "Hello" })).status;
    await change({ qpm: 1 });
    expect([await count(), await count()]).toEqual([200, 429]);
    await change({ ipRanges: ["10.0.0.0/8"] });
    expect(await count()).toBe(403);
  });

  it("chats in a stream, charged to their team", async () => {
    const server = shared();
    const page = await signInMember(server, await server.createTeam(), "member");
    const { body } = await page.send("GET", "/v1/api-key");
    const { api_key_id: id, team_id: teamId } = body as { api_key_id: string; team_id: string };
    const chat = { model: "hearth-tiny-5m", messages: [{ role: "user", content: "Hello" }], stream: true };
    const send = async () => {
      const response = await fetch(`${server.url}/console/api/v1/chat/completions`, {
        method: "POST",
        headers: { ...own, cookie: page.cookie, "content-type": "application/json" },
        body: JSON.stringify(chat),
      });
      return { status: response.status, text: await response.text() };
    };
    expect((await send()).status).toBe(403);
    await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "500" } });
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"content":" day."');
    expect(answer.text).toMatch(/data: \[DONE\]\n\n$/);
    const runs = await server.database.kysely.selectFrom("runs").selectAll().execute();
    expect(runs.filter(({ state }) => state === "completed")).toMatchObject([{ apiKeyId: id, teamId }]);
  });

  it("answers 401 without a session on every path, whatever key is sent", async () => {
    const server = shared();
    const page = openPage(server);
    const authorization = `Bearer ${server.apiKey}`;
    for (const path of [
      "/session",
      "/v1/models",
      "/auth/teams",
      "/admin/models",
      "/v1/billing/x",
      "/metrics",
    ])
      expect([path, (await page.send("GET", path, undefined, { authorization })).status]).toEqual([
        path,
        401,
      ]);
  });

  it("is the actor of their changes in the audit log, which has their sign-ins", async () => {
    const server = shared();
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "owner");
    await create(page, teamId, "laptop");
    await page.send("DELETE", "/session");
    const { body } = await server.request("GET", `/audit/teams/${teamId}/events`);
    const { events } = body as { events: readonly { act: string; user: { email?: string } }[] };
    const acts = events.filter(({ user }) => user.email !== undefined).map(({ act }) => act);
    expect(acts).toEqual(["SignOut", "CreateApiKey", "SignIn", "SetPassword"]);
  });
});
