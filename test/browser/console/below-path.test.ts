import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, onTestFinished } from "vitest";
import { startServer } from "../../kit/server.js";
import { createKey } from "./create-key.js";
import { openByLink, openPage, problemsOf, setFirstPassword, test, withoutBrowser } from "./open-console.js";

/** Starts a proxy that passes what is below `/hearth` on. @param takesPathOff whether the server sees the path */
async function startProxy(takesPathOff: boolean) {
  let target = "";
  const proxy: Server = createServer((req, res) => {
    const { url = "", method, headers } = req;
    if (!url.startsWith("/hearth")) return void res.writeHead(404).end();
    const path = takesPathOff ? url.slice("/hearth".length) || "/" : url;
    const passed = request(`${target}${path}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.on("error", () => res.destroy());
    req.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/hearth`,
    leadTo: (url: string) => (target = url),
  };
}

describe(`the console below a path of a proxy${withoutBrowser}`, () => {
  for (const takesPathOff of [true, false])
    test(`works from the printed link to a key, where the proxy ${takesPathOff ? "takes the path off" : "leaves the path"}`, async () => {
      const proxy = await startProxy(takesPathOff);
      const [server, page] = await Promise.all([
        startServer({ environment: { HEARTH_PUBLIC_URL: proxy.url } }),
        openPage({}),
      ]);
      proxy.leadTo(server.url);
      const problems = problemsOf(page);
      await page.goto((await server.app.ownerLink()) ?? "");
      await setFirstPassword(page);
      const secret = await createKey(page, "laptop");
      expect(secret).toMatch(/^hk-/);
      await openByLink(page, "Overview");
      expect(await page.getByLabel("Command of a first request").textContent()).toContain(
        `curl ${proxy.url}/v1/chat/completions`,
      );
      await page.reload();
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/hearth\/console/);
      await page.goto(`${proxy.url}/docs`);
      await page.getByRole("link", { name: "OpenAPI document" }).waitFor();
      await page.getByRole("link", { name: "Guides", exact: true }).click();
      await page.getByRole("heading", { name: "Guides", level: 1 }).waitFor();
      expect(problems).toEqual([]);
    });
});
