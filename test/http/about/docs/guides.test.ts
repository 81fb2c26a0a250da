import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startProcess } from "../../../kit/program.js";
import { fileServer, startServer } from "../../../kit/server.js";
import { brokenLinks } from "./broken-links.js";
import { exchange } from "../../../kit/clients/raw.js";

const guidesFolder = new URL("../../../fixtures/guides/", import.meta.url);
const shared = fileServer({ engine: () => [], guidesFolder });

async function get(path: string) {
  const { url } = shared();
  const response = await fetch(url + path);
  const text = await response.text();
  const main = /<main[^>]*>([^]*)<\/main>/.exec(text)?.[1] ?? "";
  return { response, text, main };
}

const paths = ["/docs/guides", "/docs/guides/start", "/docs/guides/pictures/request.svg"];

describe("GET /docs/guides", () => {
  it("lists every guide with its title and first paragraph, in the order of the links in README.md, then by name", async () => {
    const { response, main } = await get("/docs/guides");
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const items = [...main.matchAll(/<li><a href="([^"]*)">(.*?)<\/a><p>(.*?)<\/p>/g)].map((item) =>
      item.slice(1),
    );
    expect(items).toEqual([
      [
        "/docs/guides/start",
        "Start &amp; stop",
        "Run it with npm start, then read the settings &lt;b&gt;first&lt;/b&gt;.",
      ],
      ["/docs/guides/settings", "Settings", "Every setting."],
      ["/docs/guides/appendix", "appendix", "Back"],
      ["/docs", "API reference", expect.any(String)],
    ]);
  });

  it("is a page with the API reference alone where there are no guides", async () => {
    const { url } = await startServer({ engine: () => [], guidesFolder: new URL("nothing/", guidesFolder) });
    const text = await (await fetch(`${url}/docs/guides`)).text();
    expect([...text.matchAll(/<li><a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["/docs"]);
  });

  it("and the API reference link to each other, and mark which of them is shown", async () => {
    const shown = 'aria-current="page"';
    for (const path of ["/docs/guides", "/docs/guides/start"]) {
      const { text } = await get(path);
      expect(text).toContain(`<a href="/docs/guides" ${shown}>Guides</a>`);
      expect(text).toContain(`<a href="/docs">API reference</a>`);
    }
    const { text } = await get("/docs");
    expect(text).toContain(`<a href="/docs/guides">Guides</a>`);
    expect(text).toContain(`<a href="/docs" ${shown}>API reference</a>`);
  });
});

describe("GET /docs/guides/:name", () => {
  it("shows a guide under its title, with the guides and its own sections beside it", async () => {
    const { response, text } = await get("/docs/guides/start");
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(text).toContain("<title>Hearth: Start &amp; stop</title>");
    const navigation = /<nav class="guides"[^>]*>([^]*?)<\/nav>/.exec(text)?.[1] ?? "";
    expect(
      [...navigation.matchAll(/<a href="([^"]*)"( aria-current="page")?>/g)].map(([link]) => link),
    ).toEqual([
      '<a href="/docs/guides/start" aria-current="page">',
      '<a href="#the-address">',
      '<a href="#the-address-1">',
      '<a href="/docs/guides/settings">',
      '<a href="/docs/guides/appendix">',
    ]);
  });

  it("gives every heading the anchor that the forge gives it, the second of a name another one than the first", async () => {
    const { main } = await get("/docs/guides/start");
    expect([...main.matchAll(/<h\d id="([^"]*)">/g)].map(([, id]) => id)).toEqual([
      "start--stop",
      "the-address",
      "the-address-1",
    ]);
    expect((await get("/docs/guides/settings")).main).toContain('<h2 id="port--host">');
  });

  it("leads links between guides to their pages, and links to the address of the examples to this server", async () => {
    const { main } = await get("/docs/guides/start");
    expect([...main.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "#start--stop",
      "/docs/guides/settings",
      "#the-address",
      "/docs",
      "/docs/guides/settings#port--host",
      "#the-address",
      "mailto:a@example.com",
      "https://example.com/?a=1&amp;b=&quot;2&quot;",
      "#the-address-1",
    ]);
    expect((await get("/docs/guides/appendix")).main).toContain('<a href="/docs/guides">Back</a>');
  });

  it("leaves of links to what this server does not show, and to scripts, the text alone", async () => {
    const { main } = await get("/docs/guides/start");
    expect(main).toContain("more in the readme, in the changes");
    expect(main).toContain("<li>nobody, script, ");
  });

  it("shows the pictures of the guides, and of others the description alone", async () => {
    const { main } = await get("/docs/guides/start");
    expect(main).toContain(
      '<img src="/docs/guides/pictures/request.svg" alt="The way of a &quot;request&quot;" />',
    );
    expect(main.match(/<img/g)).toHaveLength(1);
    expect(main).toContain("<p>elsewhere lost</p>");
  });

  it("shows HTML in the text as text, and comments not at all", async () => {
    const { main } = await get("/docs/guides/start");
    expect(main).toContain("&lt;script&gt;globalThis.ran = 1&lt;/script&gt;");
    expect(main).toContain("&lt;img src=x onerror=&quot;globalThis.ran=1&quot;&gt;");
    expect(main).toContain("/healthz # &lt;b&gt;&amp;\n");
    expect(main).not.toContain("nobody reads this");
    expect(main).not.toMatch(/<script|<b>|<[^>]* (style|on\w+)=/);
  });

  it("shows tables", async () => {
    const { main } = await get("/docs/guides/settings");
    expect(main).toContain('<th align="right">default</th>');
    expect(main).toContain('<td align="left"><code>HEARTH_PORT</code></td>');
  });

  it("has no link and no picture that leads nowhere", async () => {
    const { url } = shared();
    expect(await brokenLinks(url, "/docs/guides")).toEqual([]);
  });

  it.each([
    "/docs/guides/nobody",
    "/docs/guides/start.md",
    "/docs/guides/README",
    "/docs/guides/..%2Fguides%2Fstart",
    "/docs/guides/pictures/lost.svg",
    "/docs/guides/pictures/..%2Fstart.md",
    "/docs/guides/start/more",
  ])("answers %s as any path that does not exist", async (path) => {
    const { url } = shared();
    const ask = async (asked: string) => {
      const response = await fetch(url + asked);
      return [response.status, await response.json()];
    };
    const answer = await ask(path);
    expect(answer[0]).toBe(404);
    expect(answer).toEqual(await ask("/nothing"));
  });
});

describe("GET /docs/guides/pictures/:name", () => {
  it("is an SVG that runs nothing and loads nothing", async () => {
    const { response, text } = await get("/docs/guides/pictures/request.svg");
    expect(response.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    expect(text).toMatch(/^<svg /);
  });
});

describe("a page of a guide", () => {
  it.each(["/docs/guides", "/docs/guides/start"])(
    "%s has no script, and of styles its own alone",
    async (path) => {
      const { response, text } = await get(path);
      const policy = (response.headers.get("content-security-policy") ?? "").split("; ");
      const [style = ""] = [...text.matchAll(/<style>([^]*?)<\/style>/g)].map(([, css = ""]) => css);
      expect(policy).toEqual([
        "default-src 'none'",
        "img-src 'self' data:",
        `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(text).not.toContain("<script");
      expect(text).not.toMatch(/<!-- \w+ -->/);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it.each(paths)("%s is sent again only to a client that has another one", async (path) => {
    const { url, port } = shared();
    const etag = (await fetch(url + path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"\S{43}"$/);
    const ask = (known: string) =>
      exchange(
        port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${known}\r\nConnection: close\r\n\r\n`,
      );
    expect(await ask(etag)).toMatch(/^HTTP\/1.1 304 [^]*\r\n\r\n$/);
    expect(await ask('"other"')).toMatch(/^HTTP\/1.1 200 /);
  });

  it.each(paths)("%s can be read and nothing else", async (path) => {
    const { url } = shared();
    const head = await fetch(url + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const posted = await fetch(url + path, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await posted.text();
  });
});

describe("the guides of this program", () => {
  it("are served by the built program as by its sources, without a link that leads nowhere", async () => {
    const [built, { url }] = await Promise.all([startProcess(), startServer({ engine: () => [] })]);
    const list = await (await fetch(`${built.url}/docs/guides`)).text();
    const links = [...list.matchAll(/<li><a href="([^"]*)"/g)].map(([, href = ""]) => href);
    for (const path of ["/docs/guides", ...links])
      expect(await (await fetch(built.url + path)).text()).toBe(await (await fetch(url + path)).text());
    expect(await brokenLinks(url, "/docs/guides")).toEqual([]);
  });
});
