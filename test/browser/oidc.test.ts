import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { startWithProvider } from "../http/console/oidc/browser.js";
import { startProvider } from "../kit/doubles/oidc-provider.js";
import { resultOf, servePage, test, withoutBrowser } from "./chromium.js";

interface Gateway {
  /** Another site than the provider's: it has the name of the machine, and the provider the address. */
  readonly url: string;
  /** The server to which it passes requests on. */
  target: string;
}

/**
 * Serves the server under another name, and shows which cookies a browser sends with the request of the console's page.
 * @param redirects whether the way back ends with a redirect, instead of the page
 */
async function openGateway(redirects: boolean): Promise<Gateway> {
  const gateway = { url: "", target: "" };
  const server = http.createServer((req, res) => {
    const { cookie = "" } = req.headers;
    const path = req.url ?? "";
    if (path === "/console")
      return void res.end(`<pre>${JSON.stringify(/hearth-console/.test(cookie))}</pre>`);
    void fetch(gateway.target + path, { headers: { cookie }, redirect: "manual" }).then(async (answer) => {
      const isPage = answer.status === 200;
      const location = isPage && redirects ? "/console" : answer.headers.get("location");
      res.writeHead(location === null ? answer.status : 303, {
        "content-type": answer.headers.get("content-type") ?? "",
        "content-security-policy": answer.headers.get("content-security-policy") ?? "",
        "set-cookie": answer.headers.getSetCookie(),
        ...(location === null ? {} : { location }),
      });
      res.end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  gateway.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return gateway;
}

/** Signs in, with a link of another site. @returns whether the request of the console's page has the session's cookie */
async function arrives(redirects: boolean): Promise<unknown> {
  const gateway = await openGateway(redirects);
  const provider = await startProvider(false, gateway.url);
  const server = await startWithProvider(provider, { HEARTH_PUBLIC_URL: gateway.url });
  gateway.target = server.url;
  const page = await servePage(() => `location.href = "${gateway.url}/console/oidc/start";`);
  return resultOf(page);
}

describe(`a sign-in through a provider of another site in Chromium${withoutBrowser}`, () => {
  test("arrives at the console with the session's cookie, which is SameSite=Strict", async () => {
    expect(await arrives(false)).toBe(true);
  });

  test("would arrive without it by a redirect", async () => {
    expect(await arrives(true)).toBe(false);
  });
});
