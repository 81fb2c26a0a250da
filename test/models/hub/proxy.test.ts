import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { createPulling, ggufOf } from "./pulling.js";

/** Starts a proxy that leads every host to a port of this machine; `asked` has the hosts. */
async function startProxy(portOf: (host: string) => string) {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    const up = connect(Number(portOf(request.url ?? "")), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      up.pipe(socket).pipe(up);
    });
    up.on("error", () => socket.destroy());
    socket.on("error", () => up.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const unknown = { lookup: () => Promise.reject(new Error("ENOTFOUND")) };

it("goes through HTTP_PROXY, which alone knows the hub's name, with the same checks of redirects", async () => {
  const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
  const proxy = await startProxy((host) => new URL(host === "cdn.invalid:80" ? hub.cdnUrl : hub.url).port);
  const environment = { HF_ENDPOINT: "http://hub.invalid", HTTP_PROXY: proxy.url, HF_TOKEN: "secret" };
  hub.behaviour.redirectTo = "http://169.254.169.254/latest/meta-data/";
  expect((await createPulling(environment, { network: unknown }).refusal("acme/tiny")).code).toBe(
    "refused_address",
  );
  expect(new Set(proxy.asked)).toEqual(new Set(["hub.invalid:80"]));

  hub.behaviour.redirectTo = "http://cdn.invalid/signed/tiny-Q4_K_M.gguf";
  const pulling = createPulling(environment, { network: unknown });
  await pulling.pull("acme/tiny");
  expect(new Set(proxy.asked)).toEqual(new Set(["hub.invalid:80", "cdn.invalid:80"]));
  const cdn = hub.requests.filter(({ server }) => server === "cdn");
  expect(cdn.map(({ authorization }) => authorization)).toEqual(cdn.map(() => null));
});

it("reaches the hosts of NO_PROXY without the proxy, also in a private network", async () => {
  const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1) });
  const proxy = await startProxy(() => new URL(hub.url).port);
  const environment = { HF_ENDPOINT: hub.url, http_proxy: proxy.url, no_proxy: "127.0.0.1" };
  await createPulling(environment).pull("acme/tiny");
  expect(proxy.asked).toEqual([]);
});
