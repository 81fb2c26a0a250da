import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/config.js";
import { type ScriptedServer, startServer } from "../../kit/server.js";
import { headersOf, hello, post } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { gate } from "../../kit/until.js";
import { chat, createLimitedTeam } from "../../kit/server/limited.js";
import { exchange } from "../../kit/clients/raw.js";

const page = "https://app.example.com";
const say = () => ["Good", " day."];

/** A server that pages of one origin may call. */
const startForPages = (corsOrigins: readonly string[] = [page]): Promise<ScriptedServer> =>
  startServer({ engine: say, config: { corsOrigins: [...corsOrigins] } });

/** The headers of an answer that concern pages. */
function corsOf({ headers }: Response): Readonly<Record<string, string>> {
  const names = [...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary");
  return Object.fromEntries(names);
}

const readable = {
  "access-control-allow-origin": page,
  "access-control-expose-headers": "*",
  vary: "Origin",
};

function preflight(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, {
    method: "OPTIONS",
    headers: {
      origin: page,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-os",
      ...headers,
    },
  });
}

describe("a preflight of an allowed origin", () => {
  it("is answered without a key, with the method and the headers that the page asks for", async () => {
    const { url } = await startForPages();
    const response = await preflight(`${url}/v1/chat/completions`);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(corsOf(response)).toEqual({
      ...readable,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
      "access-control-allow-headers": "authorization,content-type,x-stainless-os",
      "access-control-max-age": "7200",
      vary: "Origin, Access-Control-Request-Headers",
    });
  });

  it.each(["private", "local"])("allows a page of the internet to call the %s network", async (network) => {
    const { url } = await startForPages();
    const header = `access-control-allow-${network}-network`;
    const asking = await preflight(`${url}/v1/models`, {
      [`access-control-request-${network}-network`]: "true",
    });
    expect(asking.headers.get(header)).toBe("true");
    expect((await preflight(`${url}/v1/models`)).headers.has(header)).toBe(false);
  });

  it("does not pass the check of the host name, which defends against DNS rebinding", async () => {
    const { port } = await startForPages(["*"]);
    const text = await exchange(
      port,
      `OPTIONS /v1/models HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 403 /);
    expect(text.toLowerCase()).not.toContain("access-control");
  });
});

describe("a page of an allowed origin", () => {
  const ask = async (server: ScriptedServer, init: RequestInit = {}) =>
    post(server, hello, { headers: { ...headersOf(keys.ada), origin: page }, ...init });

  it("can read an answer and its headers, whole and streamed", async () => {
    const server = await startForPages();
    for (const stream of [false, true]) {
      const response = await ask(server, { body: JSON.stringify({ ...hello, stream }) });
      expect([response.status, corsOf(response)]).toEqual([200, readable]);
      expect(await response.text()).toContain("day.");
    }
  });

  it.each([
    ["401", { headers: { "content-type": "application/json", origin: page } }],
    ["404", { body: JSON.stringify({ ...hello, model: "nothing" }) }],
    ["413", { body: JSON.stringify({ ...hello, user: "x".repeat(70_000) }) }],
    ["422", { body: "{}" }],
  ])("can read the error %s", async (status, init) => {
    const response = await ask(await startForPages(), init);
    expect([String(response.status), corsOf(response)]).toEqual([status, readable]);
    expect(await response.json()).toHaveProperty("error.message");
  });

  it("can read a 405, and that there is no such path", async () => {
    const { url } = await startForPages();
    const headers = { ...headersOf(keys.ada), origin: page };
    for (const [path, status] of [
      ["/v1/models", 405],
      ["/v1/nothing", 404],
    ] as const) {
      const response = await fetch(url + path, { method: "DELETE", headers });
      expect([response.status, corsOf(response)]).toEqual([status, readable]);
    }
  });

  it("can read that a limit is exceeded, and when to retry", async () => {
    const server = await createLimitedTeam(
      await startServer({ accounts: "managed", engine: say, environment: { HEARTH_CORS_ORIGINS: page } }),
    );
    const { apiKey } = await server.newKey({ qpm: 1 });
    const again = () =>
      fetch(server.url + chat[0], {
        method: "POST",
        headers: { ...headersOf(apiKey), origin: page },
        body: JSON.stringify(chat[1]),
      });
    await (await again()).text();
    const refused = await again();
    expect([refused.status, corsOf(refused)]).toEqual([429, readable]);
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
  });

  it("can read that the server is overloaded, and when to retry", async () => {
    const blocked = gate();
    const server = await startServer({
      engine: () => [blocked.opened, "late"],
      config: { corsOrigins: [page], runsActiveMax: 1 },
    });
    const first = ask(server);
    await expect.poll(() => server.engine.active).toBe(1);
    const second = await ask(server);
    expect([second.status, corsOf(second)]).toEqual([503, readable]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    blocked.open();
    await (await first).text();
  });

  it("never gets leave to send cookies", async () => {
    const { url } = await startForPages(["*"]);
    for (const response of [await preflight(`${url}/v1/models`), await ask(await startForPages())])
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
  });
});

describe("other origins", () => {
  it("get no leave, and a cache keeps their answers apart", async () => {
    const { url } = await startForPages();
    for (const origin of ["https://evil.example", `${page}.evil.example`, "http://app.example.com", "null"]) {
      const response = await preflight(`${url}/v1/models`, { origin });
      expect([response.status, corsOf(response)]).toEqual([204, { vary: "Origin" }]);
      const got = await fetch(`${url}/v1/models`, { headers: { ...headersOf(keys.ada), origin } });
      expect([got.status, corsOf(got)]).toEqual([200, { vary: "Origin" }]);
    }
  });

  it("all get leave with *, that of a file too", async () => {
    const { url } = await startForPages(["*"]);
    for (const origin of ["https://anything.example", "null"]) {
      const response = await fetch(`${url}/v1/models`, { headers: { ...headersOf(keys.ada), origin } });
      expect(corsOf(response)).toEqual({ ...readable, "access-control-allow-origin": "*" });
    }
  });

  it("get nothing where no origin is configured", async () => {
    const server = await startServer({ engine: say });
    const response = await preflight(`${server.url}/v1/models`);
    expect([response.status, corsOf(response)]).toEqual([204, {}]);
    expect(corsOf(await fetch(`${server.url}/v1/models`, { headers: { origin: page } }))).toEqual({});
  });

  it.each(["/auth/teams", "/admin/models", "/v1/billing/teams/team-1/usage", "/docs", "/healthz"])(
    "get no leave for %s, whatever is configured: it is not for the API keys of pages",
    async (path) => {
      const { url } = await startForPages(["*"]);
      expect(corsOf(await preflight(url + path))).toEqual({});
      expect(corsOf(await fetch(url + path, { headers: { origin: page } }))).toEqual({});
    },
  );
});

describe("the clients that run in pages", () => {
  /** Sends each request as a browser does: with its origin, after a preflight for the method and the headers. */
  const browserFetch: typeof fetch = async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const names = [...new Headers(init.headers).keys()].join(",");
    const asked = await preflight(url, { "access-control-request-headers": names });
    expect(asked.headers.get("access-control-allow-headers")).toBe(names);
    const headers = new Headers(init.headers);
    headers.set("origin", page);
    const response = await fetch(input, { ...init, headers });
    expect(response.headers.get("access-control-allow-origin")).toBe(page);
    return response;
  };

  it("of OpenAI works with dangerouslyAllowBrowser", async () => {
    const { url } = await startForPages();
    const client = new OpenAI({
      baseURL: `${url}/v1`,
      apiKey: keys.ada,
      dangerouslyAllowBrowser: true,
      fetch: browserFetch,
    });
    const answer = await client.chat.completions.create({
      model: "ember-1m",
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(answer.choices[0]?.message.content).toBe("Good day.");
  });

  it("of Anthropic works with dangerouslyAllowBrowser", async () => {
    const { url } = await startForPages();
    const client = new Anthropic({
      baseURL: url,
      apiKey: keys.ada,
      dangerouslyAllowBrowser: true,
      fetch: browserFetch,
    });
    const stream = client.messages.stream({
      model: "ember-1m",
      max_tokens: 64,
      messages: [{ role: "user", content: "Hello" }],
    });
    expect(await stream.finalText()).toBe("Good day.");
  });
});

describe("the setting corsOrigins", () => {
  it.each([
    [undefined, []],
    ["*", ["*"]],
    ["https://app.example.com, http://localhost:3000", ["https://app.example.com", "http://localhost:3000"]],
    ["app://obsidian.md", ["app://obsidian.md"]],
  ])("with %s allows %j", (text, origins) => {
    expect(loadConfig({ HEARTH_CORS_ORIGINS: text }).config.corsOrigins).toEqual(origins);
  });

  it.each([
    "app.example.com",
    "https://app.example.com/",
    "https://app.example.com:443",
    "https://App.example.com",
    "https://*.example.com",
    "null",
  ])("refuses %s, which no browser sends", (text) => {
    expect(() => loadConfig({ HEARTH_CORS_ORIGINS: text })).toThrow(
      /corsOrigins\.0 \(set by HEARTH_CORS_ORIGINS\): must be `\*` or origins such as https:\/\/app\.example\.com/,
    );
  });
});
