import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { startWithProvider } from "../../http/console/oidc/browser.js";
import { startProvider } from "../../kit/doubles/oidc-provider.js";
import { expectAccessible, openPage, test, withoutBrowser } from "./open-console.js";

/** Listens before the server does, so that the provider knows the address to lead back to; passes every request on to `target`. */
async function openGateway(): Promise<{ readonly url: string; target: URL | null }> {
  const server = http.createServer((req, res) => {
    if (gateway.target === null) throw new Error("nothing listens yet");
    const { hostname, port } = gateway.target;
    const { method, url: path, headers } = req;
    const passed = http.request({ hostname, port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const gateway: { readonly url: string; target: URL | null } = { url, target: null };
  return gateway;
}

describe(`a sign-in through an identity provider${withoutBrowser}`, () => {
  test("begins with a button and arrives at the console; a person without a group is told so", async () => {
    const gateway = await openGateway();
    const provider = await startProvider(false, gateway.url);
    const server = await startWithProvider(provider, { HEARTH_PUBLIC_URL: gateway.url });
    gateway.target = new URL(server.url);
    const page = await openPage({});
    await page.goto(`${gateway.url}/console`);
    const button = page.getByRole("link", { name: "Sign in with Example Inc." });
    provider.person = { ...provider.person, groups: ["strangers"] };
    await button.click();
    expect(await page.getByRole("alert").textContent()).toContain("none of the groups");
    await expectAccessible(page);
    provider.person = { ...provider.person, groups: ["researchers"] };
    await button.click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.getByLabel("Signed in as ada@example.com").waitFor();
  });
});
