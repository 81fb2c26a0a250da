import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startProcess } from "../../../kit/program.js";
import { fileServer } from "../../../kit/server.js";
import { exchange } from "../../../kit/clients/raw.js";

const shared = fileServer({ engine: () => [] });

/** The page and the words of its security policy. */
async function page() {
  const { url } = shared();
  const response = await fetch(`${url}/docs`);
  const policy = response.headers.get("content-security-policy") ?? "";
  return { response, text: await response.text(), policy: policy.split("; ") };
}

function insides(text: string, tag: string): string[] {
  return [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, inside = ""]) => inside);
}

describe("GET /docs", () => {
  it("is a page for anybody, and no other type than it says", async () => {
    const { response, text } = await page();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).toMatch(/^<!doctype html>/);
  });

  it("asks nothing of another host, and its policy would not let it", async () => {
    const { text, policy } = await page();
    // The name of a language for pictures is no address.
    const addresses = text
      .replaceAll("xmlns='http://www.w3.org/2000/svg'", "")
      .match(/(https?:)?\/\/[\w.-]+\.\w+/g);
    expect(addresses).toBeNull();
    expect(text).not.toMatch(/<(script|img|iframe|link)[^>]* (src|href)="(?!data:)/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it("lets its own style and scripts run, by their hashes, and no others", async () => {
    const { text, policy } = await page();
    const sources = (tag: string) =>
      insides(text, tag).map((code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`);
    expect(insides(text, "script").length).toBeGreaterThan(1);
    expect(policy).toContain(`script-src ${sources("script").join(" ")}`);
    expect(policy).toContain(`style-src ${sources("style").join(" ")}`);
    expect(text).not.toMatch(/<[^>]* (style|on\w+)=/);
  });
});

describe("the document and its page", () => {
  it("are served by the built program as by its sources", async () => {
    const { url } = await startProcess();
    const api = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
    expect(api.info.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await (await fetch(`${url}/docs`)).text()).toBe((await page()).text);
  });

  it.each(["/openapi.json", "/docs"])("%s is not there for a page of another name", async (path) => {
    const { port } = shared();
    const ask = (host: string) =>
      exchange(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask("localhost")).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask("evil.example")).toMatch(/^HTTP\/1.1 403 /);
  });

  it.each(["/openapi.json", "/docs"])("%s takes no other method than to be read", async (path) => {
    const { url } = shared();
    const head = await fetch(url + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const posted = await fetch(url + path, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await posted.text();
  });
});
