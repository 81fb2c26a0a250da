import { describe, expect, it } from "vitest";
import { clientId, publicUrl, startProvider } from "../../../kit/doubles/oidc-provider.js";
import { startServer } from "../../../kit/server.js";
import { openPage, password, signInOwner } from "../pages.js";
import { errorOf, ledToError, openBrowser, startWithProvider } from "./browser.js";

const minuteMs = 60_000;

describe("a sign-in through the provider", () => {
  it("sends the browser there with PKCE, state and nonce, and begins a session when it comes back", async () => {
    const provider = await startProvider();
    const server = await startWithProvider(provider);
    const browser = openBrowser(server);
    const start = await browser.start();
    const url = new URL(start.location ?? "");
    expect(start.status).toBe(303);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      response_type: "code",
      scope: "openid profile email",
      redirect_uri: `${publicUrl}/console/oidc/callback`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const arrival = await browser.signIn();
    expect(errorOf(arrival)).toBe("200 a page");
    expect(await browser.send("GET", "/session")).toMatchObject({
      status: 200,
      body: { member: { email: "ada@example.com", role: "member" }, teamName: "research" },
    });
  });

  it("keeps what it must know in a cookie that is HttpOnly, SameSite=Lax and for the way back only, and clears it", async () => {
    const server = await startWithProvider(await startProvider());
    const browser = openBrowser(server);
    const port = new URL(server.url).port;
    const attributes = (set: string | undefined) =>
      (set ?? "").split("; ").filter((each) => !each.startsWith("expires="));
    const [pair, ...rest] = attributes((await browser.start()).headers.getSetCookie()[0]);
    expect(pair).toMatch(new RegExp(`^hearth-oidc-${port}\\.[0-9a-z]+\\.[\\w-]{16}=[\\w-]+\\.[\\w-]{43}$`));
    expect(rest).toEqual(["path=/console/oidc", "samesite=lax", "httponly"]);
    const { headers } = await browser.signIn();
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    expect(cookies[0]).toMatch(new RegExp(`^hearth-oidc-${port}\\.[\\w.-]+=; .*1970`));
    expect(attributes(cookies[1]).slice(1)).toEqual(["path=/console", "samesite=strict", "httponly"]);
  });

  it("E27: tabs do not end the sign-ins of each other: each has a cookie of its own, the oldest of more than ten ends", async () => {
    const server = await startWithProvider(await startProvider());
    const browser = openBrowser(server);
    const tabs: URL[] = [];
    for (let count = 0; count < 13; count += 1) {
      tabs.push(await browser.toProvider());
      server.clock.advance(1000);
    }
    expect(browser.transaction.split("; ")).toHaveLength(10);
    const arrivals = [];
    for (const tab of tabs.toReversed()) arrivals.push(errorOf(await browser.back(tab)));
    expect(arrivals).toEqual([
      ...Array.from({ length: 10 }, () => "200 a page"),
      ...Array.from({ length: 3 }, () => ledToError("expired")),
    ]);
    expect(browser.transaction).toBe("");
  });

  it("E27: works once, also at a server that has started since", async () => {
    const provider = await startProvider();
    const server = await startWithProvider(provider);
    const browser = openBrowser(server);
    const url = await browser.toProvider();
    const cookie = browser.transaction;
    expect(errorOf(await browser.back(url))).toBe("200 a page");
    await server.app.close();
    const again = openBrowser(await startWithProvider(provider, { HEARTH_DATA: server.data }));
    again.transaction = cookie;
    expect(errorOf(await again.back(url))).toBe(ledToError("expired"));
    expect(provider.requests.filter(({ path }) => path === "/token")).toHaveLength(1);
    const fresh = await again.toProvider();
    expect(errorOf(await again.back(fresh))).toBe("200 a page");
  });

  it("leads to the console by a page, with which a navigation of its own begins, and which names no code to others", async () => {
    const server = await startWithProvider(await startProvider());
    const { headers, text } = await openBrowser(server).signIn();
    expect(text).toContain('<meta http-equiv="refresh" content="0;url=/console">');
    expect(text).not.toContain("script");
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });

  it("has Secure cookies behind a proxy with TLS, and comes back to the address of the request without publicUrl", async () => {
    const server = await startWithProvider(await startProvider(), {
      HEARTH_TRUST_PROXY: "true",
      HEARTH_PUBLIC_URL: "",
    });
    const response = await fetch(`${server.url}/console/oidc/start`, {
      headers: { "x-forwarded-proto": "https", "x-forwarded-host": "hearth.example.com" },
      redirect: "manual",
    });
    await response.text();
    expect(response.headers.get("set-cookie")).toMatch(/^hearth-oidc\.[\w.-]+=.*; secure/);
    const { searchParams } = new URL(response.headers.get("location") ?? "");
    expect(searchParams.get("redirect_uri")).toBe("https://hearth.example.com/console/oidc/callback");
  });

  it("reads claims of the ID token, and asks the user info endpoint only for what is not there", async () => {
    const asked = async (inIdToken: boolean) => {
      const provider = await startProvider(inIdToken);
      expect(errorOf(await openBrowser(await startWithProvider(provider)).signIn())).toBe("200 a page");
      return provider.requests.filter(({ path }) => path === "/me").length;
    };
    expect([await asked(true), await asked(false)]).toEqual([0, 1]);
  });

  it("reads the description of the provider once an hour", async () => {
    const provider = await startProvider();
    const server = await startWithProvider(provider);
    const asked = () => provider.requests.filter(({ path }) => path.startsWith("/.well-known")).length;
    const browser = openBrowser(server);
    await Promise.all([browser.start(), browser.start()]);
    await browser.signIn();
    expect(asked()).toBe(1);
    server.clock.advance(60 * minuteMs);
    await browser.start();
    expect(asked()).toBe(2);
  });
});

describe("while the provider is away", () => {
  it("the server starts, passwords work, the button leads to an error, and it works when the provider is back", async () => {
    const provider = await startProvider();
    await provider.stop();
    const server = await startWithProvider(provider);
    const owner = await signInOwner(server);
    const browser = openBrowser(server);
    for (let count = 0; count < 40; count += 1)
      expect(errorOf(await browser.start())).toBe(ledToError("provider_unavailable"));
    const again = await owner.send("POST", "/sign-in", { email: "owner@example.com", password });
    expect(again.status).toBe(200);
    await provider.listen();
    expect(errorOf(await browser.signIn())).toBe("200 a page");
    const back = await browser.toProvider();
    await provider.stop();
    expect(errorOf(await browser.back(back))).toBe(ledToError("provider_unavailable"));
  });

  it.each([
    ["/token", "has failed", 500, "oops"],
    ["/token", "answers with a page", 200, "<p>maintenance</p>"],
    ["/me", "answers without end", 200, `"${"a".repeat(2_000_000)}"`],
    ["/jwks", "is gone", 404, ""],
  ])("or its %s %s, a sign-in leads to an error", async (path, _, status, body) => {
    const provider = await startProvider();
    const server = await startWithProvider(provider);
    provider.instead.set(path, (res) => {
      res.writeHead(status, { "content-type": body.startsWith("<") ? "text/html" : "application/json" });
      res.end(body);
    });
    expect(errorOf(await openBrowser(server).signIn())).toBe(ledToError("provider_unavailable"));
    provider.instead.clear();
    expect(errorOf(await openBrowser(server).signIn())).toBe("200 a page");
  });
});

describe("GET /console/api/sign-in", () => {
  it("lists the password, and the provider with its name if there is one", async () => {
    const server = await startWithProvider(await startProvider());
    expect(await openPage(server).send("GET", "/sign-in")).toEqual({
      status: 200,
      body: { password: true, oidc: { name: "Example Inc.", path: "/console/oidc/start" } },
    });
    const without = await startServer({ accounts: "managed" });
    expect(await openPage(without).send("GET", "/sign-in")).toEqual({
      status: 200,
      body: { password: true },
    });
    for (const path of ["start", "callback"])
      expect((await fetch(`${without.url}/console/oidc/${path}`)).status).toBe(404);
  });
});
