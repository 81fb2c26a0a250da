import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { clientSecret, startProvider } from "../../../kit/doubles/oidc-provider.js";
import { openPage, password, signInOwner } from "../pages.js";
import { errorOf, ledToError, openBrowser, startWithProvider } from "./browser.js";

const minuteMs = 60_000;
const expired = ledToError("expired");
const failed = ledToError("sign_in_failed");

/** A server with its provider, and a browser. */
async function start() {
  const provider = await startProvider();
  const server = await startWithProvider(provider);
  return { provider, server, browser: openBrowser(server) };
}

describe("E22: a callback", () => {
  it("with another state, without one, or in a browser that has begun no sign-in, begins no session", async () => {
    const { server, browser, provider } = await start();
    const url = await browser.toProvider();
    const asked = provider.requests.length;
    const own = browser.transaction;
    for (const state of ["x", "", `${url.searchParams.get("state") ?? ""}x`]) {
      const other = new URL(url);
      other.searchParams.set("state", state);
      expect(errorOf(await browser.back(other))).toBe(expired);
      browser.transaction = own;
    }
    expect(errorOf(await openBrowser(server).back(url))).toBe(expired);
    expect(errorOf(await openBrowser(server).back(new URL("/console/oidc/callback", url)))).toBe(expired);
    const victim = openBrowser(server);
    await victim.toProvider();
    expect(errorOf(await victim.back(url))).toBe(expired);
    expect(provider.requests.filter(({ path }) => path === "/token")).toEqual([]);
    expect(provider.requests.length).toBeGreaterThan(asked);
    expect(errorOf(await browser.back(url))).toBe("200 a page");
  });

  it("works once, also while the browser keeps the cookie", async () => {
    const { browser, provider } = await start();
    const url = await browser.toProvider();
    const cookie = browser.transaction;
    expect(errorOf(await browser.back(url))).toBe("200 a page");
    browser.transaction = cookie;
    expect(errorOf(await browser.back(url))).toBe(expired);
    expect(provider.requests.filter(({ path }) => path === "/token")).toHaveLength(1);
  });

  it("works within ten minutes, with a cookie that this server has signed", async () => {
    const { browser, server } = await start();
    const url = await browser.toProvider();
    server.clock.advance(10 * minuteMs);
    expect(errorOf(await browser.back(url))).toBe(expired);
    const next = await browser.toProvider();
    const [name, text = ""] = browser.transaction.split("=");
    const payload = JSON.parse(Buffer.from(text.split(".")[0] ?? "", "base64url").toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...payload, verifier: "x" })).toString("base64url");
    for (const value of [`${forged}.${text.split(".")[1] ?? ""}`, forged, "", ".", "x".repeat(5000)]) {
      browser.transaction = `${name ?? ""}=${value}`;
      expect([value.slice(0, 9), errorOf(await browser.back(next))]).toEqual([value.slice(0, 9), expired]);
    }
  });

  it("with the code of another sign-in begins no session: the provider wants its PKCE verifier", async () => {
    const { browser, server } = await start();
    const stolen = await openBrowser(server).toProvider();
    const own = await browser.toProvider();
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expect(errorOf(await browser.back(own))).toBe(failed);
  });

  it("of an ID token with another nonce begins no session", async () => {
    const { browser } = await start();
    expect(errorOf(await browser.back(await browser.toProvider({ nonce: "another" })))).toBe(failed);
  });

  it("of an ID token with a foreign signature begins no session", async () => {
    const { browser, provider } = await start();
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = { ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" };
    provider.instead.set("/jwks", (res) => {
      res.setHeader("content-type", "application/json");
      res.end(JSON.stringify({ keys: [key] }));
    });
    expect(errorOf(await browser.signIn())).toBe(failed);
    expect(browser.cookie).toBe("");
  });

  it("of a person who said no leads to a code, and no text of the provider", async () => {
    const { browser } = await start();
    const url = await browser.toProvider();
    url.searchParams.delete("code");
    url.searchParams.set("error", "access_denied");
    url.searchParams.set("error_description", "<script>alert(1)</script>");
    const arrival = await browser.back(url);
    expect(errorOf(arrival)).toBe(ledToError("provider_refused"));
    expect(arrival.text + JSON.stringify([...arrival.headers])).not.toContain("alert");
  });

  it("that fails 30 times from an address is refused, and so is every sign-in from there, for 15 minutes", async () => {
    const { browser, server } = await start();
    const nowhere = new URL("http://hearth.test/console/oidc/callback?state=x&code=y");
    for (let count = 0; count < 30; count += 1) expect(errorOf(await browser.back(nowhere))).toBe(expired);
    const limited = ledToError("rate_limited");
    expect(errorOf(await browser.back(nowhere))).toBe(limited);
    expect(errorOf(await browser.start())).toBe(limited);
    const page = await openPage(server).send("POST", "/sign-in", { email: "a@example.com", password });
    expect(page.status).toBe(429);
    server.clock.advance(15 * minuteMs);
    expect(errorOf(await browser.signIn())).toBe("200 a page");
  });
});

interface AuditedEvent {
  readonly action: string;
  readonly actor: string;
  readonly teamId: string | null;
  readonly description: string;
  readonly after: object | null;
}

describe("the audit log", () => {
  const events = async ({ server }: Awaited<ReturnType<typeof start>>): Promise<readonly AuditedEvent[]> => {
    const query = {
      teamId: null,
      order: "ascending",
      after: null,
      from: null,
      to: null,
      limit: 10_000,
    } as const;
    return (await server.stores.audit.page(query)).filter(({ action }) => action === "RejectSignIn");
  };

  it("has failed sign-ins with the member, the address and the reason, and nothing that a visitor typed", async () => {
    const started = await start();
    const { server, browser, provider } = started;
    await signInOwner(server);
    const page = openPage(server);
    const typed = ["a secret typed in the wrong field", "wrong password", "no-such-link"] as const;
    await page.send("POST", "/sign-in", { email: "OWNER@example.com", password: typed[1] });
    await page.send("POST", "/sign-in", { email: typed[0], password: typed[1] });
    await page.send("POST", "/sign-in", { link: typed[2] });
    provider.person = { sub: "ada", email: "ada@example.com", email_verified: true, groups: ["others"] };
    await browser.signIn();
    await browser.back(new URL("http://hearth.test/console/oidc/callback?state=x"));
    const found = await events(started);
    const address = "127.0.0.1";
    expect(
      found.map(({ actor, teamId, description, after }) => ({ actor, teamId, description, after })),
    ).toEqual(
      [
        ["A sign-in of the member 'owner@example.com' failed", { method: "password", address }],
        ["A sign-in failed", { method: "password", address }],
        ["A sign-in failed", { method: "link", address }],
        ["A sign-in failed", { method: "oidc", address, reason: "no_group", subject: "ada" }],
        ["A sign-in failed", { method: "oidc", address, reason: "expired" }],
      ].map(([description, after]) => ({ actor: "visitor", teamId: null, description, after })),
    );
    for (const text of typed) expect(JSON.stringify(found)).not.toContain(text);
  });

  it("has a sign-in through the provider with its method", async () => {
    const { server, browser } = await start();
    await browser.signIn();
    const { body } = await server.request("GET", `/audit/teams/${server.research}/events`);
    const { events: found } = body as { events: readonly { act: string; objectAfter?: unknown }[] };
    expect(JSON.stringify(found.find(({ act }) => act === "SignIn"))).toContain("oidc");
    expect(found.map(({ act }) => act)).toContain("CreateMember");
  });

  it("is not filled by many addresses: it has at most 500 failed sign-ins of 15 minutes", async () => {
    const provider = await startProvider();
    const server = await startWithProvider(provider, { HEARTH_TRUST_PROXY: "true" });
    const failures = async () => {
      const { rows } = await countFailures(server);
      return rows;
    };
    const fail = (address: number) =>
      fetch(`${server.url}/console/oidc/callback`, {
        headers: { "x-forwarded-for": `10.0.${address >> 8}.${address & 255}` },
        redirect: "manual",
      }).then((response) => response.text());
    await Promise.all(Array.from({ length: 480 }, (_, count) => fail(count)));
    for (let count = 480; count < 520; count += 1) await fail(count);
    expect(await failures()).toBe(500);
    server.clock.advance(15 * minuteMs);
    await fail(1);
    expect(await failures()).toBe(501);
  });
});

async function countFailures({
  database,
}: Awaited<ReturnType<typeof startWithProvider>>): Promise<{ rows: number }> {
  const found = database.kysely.selectFrom("auditEvents").select("id").where("act", "=", "RejectSignIn");
  return { rows: (await found.execute()).length };
}

describe("E10: the client secret", () => {
  it("is in no log, no answer, no audit event and no file, whatever fails", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const provider = await startProvider();
    const wrong = `${clientSecret}!`;
    const server = await startWithProvider(provider, { HEARTH_OIDC_CLIENT_SECRET: wrong }, { logger });
    const browser = openBrowser(server);
    let received = "";
    const keep = async (arrival: ReturnType<typeof browser.signIn>) => {
      const { location, text, headers } = await arrival;
      received += `${location ?? ""}${text}${JSON.stringify([...headers])}`;
    };
    await keep(browser.signIn());
    provider.instead.set("/token", (res) => {
      res.writeHead(400, { "content-type": "application/json" });
      res.end(
        JSON.stringify({ error: "invalid_request", error_description: `the secret ${wrong} is wrong` }),
      );
    });
    await keep(browser.signIn());
    provider.instead.set("/token", (res) => void res.destroy());
    await keep(browser.signIn());
    await fetch(`${server.url}/${encodeURIComponent(wrong)}`);
    await provider.stop();
    await keep(browser.signIn().catch(() => browser.start()));
    for (const path of ["/docs", "/openapi.json", "/docs/guides/settings.md"])
      received += await (await fetch(server.url + path)).text();
    const logged = lines.join("");
    expect(logged).toContain("sign_in_failed");
    expect(logged).toContain("provider_unavailable");
    const files = readdirSync(server.data).filter((name) => name.startsWith("hearth.db"));
    const stored = files.map((file) => readFileSync(join(server.data, file), "latin1")).join("");
    const forms = [
      clientSecret,
      encodeURIComponent(clientSecret),
      new URLSearchParams({ secret: clientSecret }).toString().slice("secret=".length),
      Buffer.from(wrong).toString("base64"),
    ];
    for (const text of [logged, received, stored])
      for (const form of forms) expect(text.includes(form), form).toBe(false);
    // The credentials were sent, so that the test has something to find.
    expect(provider.requests.some(({ authorization }) => authorization?.startsWith("Basic ") === true)).toBe(
      true,
    );
  });
});
