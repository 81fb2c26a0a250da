/** A server whose `publicUrl` has a path, asked as proxies ask that take the path off and as those that leave it. */
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { fileServer } from "../../kit/server.js";
import { testKey } from "../../kit/server/settings.js";

const shared = fileServer({
  accounts: "managed",
  environment: { HEARTH_PUBLIC_URL: "https://example.com/hearth" },
});

const pathsOff = ["", "/hearth"];

/** Returns the addresses on a page that lead to this server. */
function addressesOf(html: string): readonly string[] {
  return [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, address = ""]) => address);
}

describe.each(pathsOff)("a server below /hearth, asked at '%s'", (before) => {
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${shared().url}${before}${path}`, { redirect: "manual", ...init });

  it("answers each route, and its pages lead to addresses below the path that exist", async () => {
    expect((await ask("/healthz")).status).toBe(200);
    for (const page of ["/console", "/console/keys", "/docs", "/docs/guides", "/docs/guides/settings"]) {
      const addresses = addressesOf(await (await ask(page)).text());
      expect(addresses.length).toBeGreaterThan(0);
      expect(addresses.filter((address) => !address.startsWith("/hearth/"))).toEqual([]);
      for (const address of new Set(addresses.map((each) => each.replace(/#.*/, ""))))
        expect([address, (await fetch(`${shared().url}${address}`)).status]).toEqual([address, 200]);
    }
  });

  it("leads browsers below the path, and limits the cookie of a session to it", async () => {
    const root = await ask("/", { headers: { accept: "text/html" } });
    expect([root.status, root.headers.get("location")]).toEqual([302, "/hearth/docs"]);
    const link = await shared()
      .app.ownerLink()
      .catch(() => null);
    if (link === null) return expect(before).not.toBe(pathsOff[0]);
    expect(link).toMatch(/^https:\/\/example\.com\/hearth\/console#link=/);
    const signedIn = await ask("/console/api/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", "x-hearth-console": "1" },
      body: JSON.stringify({
        link: link.split("#link=")[1],
        email: "ada@example.com",
        password: "correct horse battery staple",
      }),
    });
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.get("set-cookie")).toMatch(/; path=\/hearth\/console;/);
  });

  it("names the path in its OpenAPI document", async () => {
    expect(await (await ask("/openapi.json")).json()).toMatchObject({ servers: [{ url: "/hearth" }] });
  });

  it("accepts a WebSocket", async () => {
    const socket = new WebSocket(`${shared().url.replace(/^http/, "ws")}${before}/v1/responses`, {
      headers: { authorization: `Bearer ${testKey}` },
    });
    await once(socket, "open");
    socket.close();
    await once(socket, "close");
    expect(socket.readyState).toBe(WebSocket.CLOSED);
  });

  it("has no route that only begins like the path", async () => {
    expect((await ask("/healthz".replace("/", "/hearthx/"))).status).toBe(404);
  });
});
