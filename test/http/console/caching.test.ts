/** What browsers and proxies may keep. */
import { expect, it } from "vitest";
import { fileServer } from "../../kit/server.js";

const shared = fileServer({ accounts: "managed" });

const hashed = "public, max-age=31536000, immutable";

/** Paths of what does not change while the server runs, and of what is not there beside it. */
const missing = [
  "/console/assets/index-AAAAAAAA.js",
  "/console/assets/index-AAAAAAAA.css",
  "/console/assets/index.map",
  "/console/assets/",
  "/console/keys/more",
  "/console/api",
  "/docs/guides/nothing",
  "/docs/guides/pictures/nothing.png",
  "/docs/nothing",
  "/images/nothing.png",
  "/openapi.yaml",
  "/favicon.ico",
  "/v1/models/nothing",
  "/v1/files/file-nothing/content",
  "/nothing",
];

it("E32: no error is kept, whatever its path and method, and an asset is kept only when it is there", async () => {
  const { url } = shared();
  const page = await (await fetch(`${url}/console`)).text();
  const assets: readonly string[] = page.match(/\/console\/assets\/[\w-]+\.(?:js|css)/g) ?? [];
  expect(assets.length).toBeGreaterThan(0);
  const there = ["/console", "/console/keys", "/docs", "/docs/guides", "/openapi.json", ...assets];
  const wrong: string[] = [];
  for (const path of [...missing, ...there])
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      const { status, headers } = await fetch(`${url}${path}`, { method });
      const kept = headers.get("cache-control");
      const isRight =
        status >= 400
          ? kept === "no-store" && headers.get("etag") === null && headers.get("content-encoding") === null
          : kept === (assets.includes(path) ? hashed : "no-cache");
      if (!isRight) wrong.push(`${method} ${path}: ${status} ${String(kept)}`);
      if (status < 400 !== (there.includes(path) && (method === "GET" || method === "HEAD")))
        wrong.push(`${method} ${path}: ${status}`);
    }
  expect(wrong).toEqual([]);
});

it("E32: an answer that the client has is confirmed with the same time to keep it, and a failed one of a key is not kept", async () => {
  const { url } = shared();
  const page = await (await fetch(`${url}/console`)).text();
  const [asset = ""] = page.match(/\/console\/assets\/[\w-]+\.js/) ?? [];
  for (const [path, kept] of [
    [asset, hashed],
    ["/console", "no-cache"],
    ["/docs", "no-cache"],
  ] as const) {
    const etag = (await fetch(`${url}${path}`)).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag, "cache-control": "max-age=0" };
    const again = await fetch(`${url}${path}`, { headers });
    expect([path, again.status, again.headers.get("cache-control")]).toEqual([path, 304, kept]);
  }
  for (const path of ["/v1/models", "/admin/overview", "/auth/teams", "/console/api/session"]) {
    const { status, headers } = await fetch(`${url}${path}`);
    expect([path, status >= 400, headers.get("cache-control")]).toEqual([path, true, "no-store"]);
  }
});
