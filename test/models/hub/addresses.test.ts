import type { LookupAddress } from "node:dns";
import { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import type { TestHub } from "../../kit/doubles/hub/hub.js";
import { startHub } from "../../kit/doubles/hub/hub-server.js";
import { createPulling, ggufOf, type Pulling } from "./pulling.js";

const publicAddress = "93.184.216.34";
const files = { "tiny-Q4_K_M.gguf": ggufOf(1) };

interface World {
  readonly pulling: Pulling;
  /** Addresses that connections were opened to. */
  readonly dialled: readonly string[];
}

/**
 * Returns a puller for which the hub and the server of its bytes are at any address: connections to port 80 and 443 lead to the hub, those
 * to port 81 to the server of the bytes.
 * @param names addresses of names, one answer for each look-up; the last one repeats. Absent: a public one.
 */
function world(
  hub: TestHub,
  endpoint: string,
  names: Readonly<Record<string, readonly string[]>> = {},
  options: { mayUrlBeNear?: boolean; environment?: NodeJS.ProcessEnv } = {},
): World {
  const dialled: string[] = [];
  const asked: string[] = [];
  const open = buildConnector({});
  const { environment = {}, mayUrlBeNear = true } = options;
  const pulling = createPulling(
    { HF_ENDPOINT: endpoint, ...environment },
    {
      mayUrlBeNear,
      network: {
        lookup: async (host) => {
          const answers = names[host] ?? [publicAddress];
          const at = asked.filter((name) => name === host).length;
          asked.push(host);
          const address = answers[Math.min(at, answers.length - 1)] ?? publicAddress;
          return [{ address, family: address.includes(":") ? 6 : 4 } satisfies LookupAddress];
        },
        dial: (request, addresses, callback) => {
          dialled.push(...addresses.map(({ address }) => address));
          const { port } = new URL(request.port === "81" ? hub.cdnUrl : hub.url);
          open({ ...request, protocol: "http:", hostname: "127.0.0.1", port }, callback);
        },
      },
    },
  );
  return { pulling, dialled };
}

describe("A6: a hub on the internet", () => {
  it("is pulled from, with its bytes from another public server", async () => {
    const hub = await startHub(files);
    hub.behaviour.redirectTo = "http://cdn.example:81/signed/tiny-Q4_K_M.gguf";
    const { pulling, dialled } = world(hub, "http://hub.example");
    await pulling.pull("acme/tiny");
    expect(new Set(dialled)).toEqual(new Set([publicAddress]));
  });

  it.each([
    "http://127.0.0.1:81/x",
    "http://127.1:81/x",
    "http://2130706433:81/x",
    "http://0x7f000001:81/x",
    "http://[::1]:81/x",
    "http://[::ffff:127.0.0.1]:81/x",
    "http://[64:ff9b::7f00:1]:81/x",
    "http://0.0.0.0:81/x",
    "http://localhost:81/x",
    "http://any.localhost.:81/x",
    "http://10.1.2.3:81/x",
    "http://172.16.0.1:81/x",
    "http://192.168.1.1:81/x",
    "http://100.64.0.1:81/x",
    "http://[fd12::1]:81/x",
    "http://[fe80::1]:81/x",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://100.100.100.200/latest/meta-data/",
    "http://inside.example:81/x",
    "http://user:secret@cdn.example:81/x",
    "ftp://cdn.example/x",
    "file:///etc/passwd",
    "http://",
  ])("leads nobody to %s", async (redirectTo) => {
    const hub = await startHub(files);
    hub.behaviour.redirectTo = redirectTo;
    const { pulling, dialled } = world(hub, "http://hub.example", { "inside.example": ["10.0.0.1"] });
    expect((await pulling.refusal("acme/tiny")).code).toBe("refused_address");
    expect(new Set(dialled)).toEqual(new Set([publicAddress]));
    expect(hub.requests.filter(({ server }) => server === "cdn")).toEqual([]);
    expect(pulling.files()).toEqual([]);
  });

  it("leads nobody from https to http, nor round in circles", async () => {
    const hub = await startHub(files);
    hub.behaviour.redirectTo = "http://cdn.example:81/signed/tiny-Q4_K_M.gguf";
    const { message } = await world(hub, "https://hub.example").pulling.refusal("acme/tiny");
    expect(message).toContain("hub.example redirects to it from https to http");
    hub.behaviour.redirectTo = `/acme/tiny/resolve/${"c".repeat(40)}/tiny-Q4_K_M.gguf`;
    const circle = await world(hub, "http://hub.example").pulling.refusal("acme/tiny");
    expect(circle.message).toContain("it redirects more than 10 times");
  });

  it("is not asked when its name resolves to this machine after the first time (DNS rebinding)", async () => {
    const hub = await startHub(files);
    const names = { "hub.example": [publicAddress, "127.0.0.1"] };
    const { pulling, dialled } = world(hub, "http://hub.example", names);
    expect((await pulling.refusal("acme/tiny")).code).toBe("refused_address");
    expect(dialled).toEqual([]);
  });

  it("is the only one to say what a repository holds: its list continues nowhere else, and is not redirected", async () => {
    const hub = await startHub(files);
    const { pulling } = world(hub, "http://hub.example", {}, { environment: { HF_TOKEN: "secret" } });
    hub.behaviour.listContinuesAt = "http://cdn.example:81/list";
    expect((await pulling.refusal("acme/tiny")).message).toContain("continues at another server");
    hub.behaviour.apiFailures = [{ status: 302, headers: { location: "http://cdn.example:81/list" } }];
    expect((await pulling.refusal("acme/tiny")).message).toContain("only the hub itself may answer");
    expect(hub.requests.filter(({ server }) => server === "cdn")).toEqual([]);
  });
});

describe("A6: a hub inside", () => {
  it("of a private network may lead to others of it, never to this machine or a metadata service", async () => {
    const hub = await startHub(files);
    const names = { "hub.lan": ["10.0.0.5"], "store.lan": ["192.168.7.7"] };
    hub.behaviour.redirectTo = "http://store.lan:81/signed/tiny-Q4_K_M.gguf";
    const { pulling, dialled } = world(hub, "http://hub.lan", names);
    await pulling.pull("acme/tiny");
    expect(new Set(dialled)).toEqual(new Set(["10.0.0.5", "192.168.7.7"]));
    for (const url of ["http://127.0.0.1:81/x", "http://169.254.169.254/", "http://[fd00:ec2::254]/"]) {
      hub.behaviour.redirectTo = url;
      const other = world(hub, "http://hub.lan", names);
      expect([url, (await other.pulling.refusal("acme/tiny")).code]).toEqual([url, "refused_address"]);
    }
  });

  it("of this machine may lead anywhere but to a metadata service", async () => {
    const hub = await startHub(files);
    hub.behaviour.redirectTo = "http://169.254.169.254/latest/meta-data/";
    expect((await createPulling({ HF_ENDPOINT: hub.url }).refusal("acme/tiny")).code).toBe("refused_address");
  });
});

describe("A6: a URL", () => {
  it("may lead to this machine where the operator names it, and never where a client of the server does", async () => {
    const hub = await startHub(files);
    const url = "http://127.0.0.1:81/plain/tiny-Q4_K_M.gguf";
    const client = world(hub, "http://hub.example", {}, { mayUrlBeNear: false });
    expect((await client.pulling.refusal(url)).code).toBe("refused_address");
    const named = await client.pulling.refusal("http://inside.lan:81/plain/tiny-Q4_K_M.gguf").catch(String);
    expect(client.dialled).not.toContain("127.0.0.1");
    expect(named).toBeDefined();
    await world(hub, "http://hub.example").pulling.pull(url);
  });
});

describe("A7: the token", () => {
  it("is sent to the hub, and to no other server", async () => {
    const hub = await startHub(files);
    hub.behaviour.token = "secret";
    const pulling = createPulling({ HF_ENDPOINT: hub.url, HF_TOKEN: "secret" });
    await pulling.pull("acme/tiny");
    const sent = (server: string) => hub.requests.filter((request) => request.server === server);
    expect(new Set(sent("hub").map(({ authorization }) => authorization))).toEqual(
      new Set(["Bearer secret"]),
    );
    expect(new Set(sent("cdn").map(({ authorization }) => authorization))).toEqual(new Set([null]));
    expect(pulling.files().map((path) => pulling.read(path).includes("secret"))).not.toContain(true);
  });

  it("is not sent with a URL, and not to a redirect back to the hub's own name at another port", async () => {
    const hub = await startHub({ "tiny-Q4_K_M.gguf": ggufOf(1), "b.gguf": ggufOf(1, 2) });
    const { pulling } = world(hub, "http://hub.example", {}, { environment: { HF_TOKEN: "secret" } });
    await pulling.pull("http://cdn.example:81/plain/b.gguf");
    hub.behaviour.redirectTo = "http://hub.example:81/signed/tiny-Q4_K_M.gguf";
    await pulling.pull("acme/tiny");
    const cdn = hub.requests.filter(({ server }) => server === "cdn");
    expect(cdn.length).toBeGreaterThan(3);
    expect(new Set(cdn.map(({ authorization }) => authorization))).toEqual(new Set([null]));
  });
});
