import { expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";

const shared = fileServer({ accounts: "managed" });

const assets = /\/console\/assets\/[\w-]+\.(?:js|css)/g;

async function page(
  url: string,
  path: string,
): Promise<{ readonly response: Response; readonly text: string }> {
  const response = await fetch(`${url}${path}`);
  return { response, text: await response.text() };
}

it("serves one page under every address of the console, and nothing under those of its API", async () => {
  const { url } = shared();
  const { response, text } = await page(url, "/console");
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect((await page(url, "/console/keys")).text).toBe(text);
  for (const path of ["/console/api", "/console/assets", "/console/keys/more"])
    expect((await page(url, path)).response.status).toBe(404);
});

it("E12: allows no script, style or connection but the server's own, and no frame around it", async () => {
  const { url } = shared();
  const { response, text } = await page(url, "/console");
  const policy = response.headers.get("content-security-policy")?.split("; ") ?? [];
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
  expect(policy.join()).not.toContain("unsafe");
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
});

it("names scripts and styles by their contents, for ever, and compresses them as the browser allows", async () => {
  const { url } = shared();
  const { text } = await page(url, "/console");
  const paths = text.match(assets) ?? [];
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const plain = await fetch(`${url}${path}`, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-encoding")).toBeNull();
    const content = await plain.text();
    for (const encoding of ["gzip", "br"]) {
      const coded = await fetch(`${url}${path}`, { headers: { "accept-encoding": encoding } });
      expect(coded.headers.get("content-encoding")).toBe(encoding);
      expect(Number(coded.headers.get("content-length"))).toBeLessThan(content.length);
      expect(await coded.text()).toBe(content);
    }
    const etag = plain.headers.get("etag") ?? "";
    const again = await fetch(`${url}${path}`, {
      headers: { "if-none-match": etag, "accept-encoding": "identity", "cache-control": "max-age=0" },
    });
    expect(again.status).toBe(304);
  }
});

/** What the first load of any page of the console may have, compressed. */
const firstLoadBytesMax = 150_000;

it("loads at most 150 kB, compressed, whichever page of the console is opened first", async () => {
  const { url } = shared();
  const { text } = await page(url, "/console");
  const files = new Map<string, { readonly bytes: number; readonly text: string }>();
  const load = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: { "accept-encoding": "gzip" } });
    const bytes = Number(response.headers.get("content-length"));
    expect(bytes).toBeGreaterThan(0);
    const content = await response.text();
    files.set(path, { bytes, text: content });
    return content;
  };
  const importsOf = (path: string, pattern: RegExp) =>
    [...(files.get(path)?.text ?? "").matchAll(pattern)].map(([, name = ""]) => `/console/assets/${name}`);
  /** The files with all that they import statically. */
  const withImports = async (paths: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = new Set(paths);
    for (const path of found) {
      if (!files.has(path)) await load(path);
      for (const imported of importsOf(path, /(?:from|import)"\.\/([\w-]+\.js)"/g)) found.add(imported);
    }
    return found;
  };
  await load("/console");
  const entries = text.match(assets) ?? [];
  await withImports(entries);
  const pages = entries.flatMap((path) => importsOf(path, /import\("\.\/([\w-]+\.js)"\)/g));
  expect(pages.length).toBeGreaterThanOrEqual(8);
  for (const each of pages) {
    const loaded = [...(await withImports([...entries, each]))].map((path) => files.get(path)?.bytes ?? 0);
    const bytes = loaded.reduce((sum, size) => sum + size, files.get("/console")?.bytes ?? 0);
    expect(bytes, each).toBeLessThanOrEqual(firstLoadBytesMax);
  }
});

it.each([
  "main.js",
  "../index.html",
  "..%2findex.html",
  "%2e%2e%2f%2e%2e%2fpackage.json",
  "nothing-ABCDEFGH.js",
])("answers 404 for the asset %s", async (name) => {
  const { url } = shared();
  expect((await fetch(`${url}/console/assets/${name}`)).status).toBe(404);
});
