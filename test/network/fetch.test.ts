import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { internet, param, publicAddress, type InternetOptions } from "./servers.js";

const ownAddress = `${publicAddress}:80`;

/** A test internet where each redirect leads to the next of these places, and every other path is an image. */
const redirecting = (places: readonly string[], options: InternetOptions = {}) =>
  internet((request, response) => {
    const at = /^\/(\d)$/.exec(request.url ?? "")?.[1];
    const to = at === undefined ? undefined : places[Number(at) - 1];
    if (to === undefined) response.end(`image at ${request.headers.host ?? ""}${request.url ?? ""}`);
    else response.writeHead(302, { location: to }).end("moved");
  }, options);

describe("an image on the internet", () => {
  it("is fetched from an allowed host, from its public address and with its host name", async () => {
    const net = await redirecting([], { allowed: ["images.example"] });
    expect(await net.read("http://IMAGES.example/a.png?b=c#d")).toBe("image at images.example/a.png?b=c");
    expect(net.dialled).toEqual([ownAddress]);
  });

  it.each([
    ["off", [], "http://images.example/", /must be a data: URL; this server fetches no images/],
    ["another host", ["images.example"], "http://images.example.evil/", /fetches no images from/],
    ["a name below it", ["images.example"], "http://a.images.example/", /fetches no images from/],
    ["the name above a wildcard", ["*.example"], "http://example/", /fetches no images from/],
    ["a name that only ends like it", ["*.images.example"], "http://evilimages.example/", /no images from/],
    ["a trailing dot", ["images.example"], "http://images.example./", /fetches no images from/],
    ["another port", ["images.example"], "http://images.example:8080/", /fetches no images from/],
    ["the scheme's own port", ["images.example:8080"], "http://images.example/", /fetches no images from/],
  ])("is not fetched where the list says otherwise: %s", async (_case, allowed, url, message) => {
    const net = await redirecting([], { allowed });
    expect(await net.refusal(url)).toMatch(message);
    expect([net.dialled, net.lookedUp]).toEqual([[], []]);
  });

  it.each([
    ["*.images.example", "http://a.b.images.example/"],
    ["images.example:8080", "http://images.example:8080/"],
    ["bücher.example", "http://xn--bcher-kva.example/"],
    ["93.184.216.34", "http://93.184.216.34/"],
    ["*", "http://[2606:2800:220:1:248:1893:25c8:1946]/"],
  ])("is fetched where the entry %s allows %s", async (entry, url) => {
    const net = await redirecting([], { allowed: [entry] });
    expect(await net.read(url)).toMatch(/^image at/);
  });
});

describe("A2: a redirect", () => {
  it.each([
    ["to a private address", "http://169.254.169.254/", /could not be fetched/],
    ["to a name with a private address", "http://inside.example/", /could not be fetched/],
    ["to loopback written as a number", "http://2130706433/", /could not be fetched/],
    ["to a file", "file:///etc/passwd", /must be a data:, http: or https: URL/],
    ["to data", "data:image/png;base64,AAAA", /must be a data:, http: or https: URL/],
    ["to gopher", "gopher://a.example/", /must be a data:, http: or https: URL/],
    ["with a password", "http://me:pw@a.example/", /user name or a password/],
    ["to another port", "http://a.example:6379/", /fetches no images from/],
    ["without a place", "", /redirected more than 3 times/],
    ["to no URL", "http://[", /is not a data: or http\(s\) URL/],
  ])("%s is refused", async (_case, place, message) => {
    const net = await redirecting([place], { names: { "inside.example": [["10.0.0.7"]] } });
    expect(await net.refusal("http://a.example/1")).toMatch(message);
    expect(net.dialled.every((address) => address === ownAddress)).toBe(true);
  });

  it("to a host that is not on the list is rejected", async () => {
    const net = await redirecting(["http://b.example/"], { allowed: ["a.example"] });
    expect(await net.refusal("http://a.example/1")).toMatch(/fetches no images from/);
    expect(net.lookedUp).toEqual(["a.example"]);
  });

  it("is followed at most three times", async () => {
    const places = ["http://b.example/2", "/3", "//c.example/4", "/5"];
    const three = await redirecting(places.slice(0, 3));
    expect(await three.read("http://a.example/1")).toBe("image at c.example/4");
    const four = await redirecting(places);
    expect(await four.refusal("http://a.example/1")).toMatch(/redirected more than 3 times$/);
    expect(four.requests).toHaveLength(4);
  });
});

describe("A3: a name that resolves differently later", () => {
  it("is resolved once, and the connection uses the checked address", async () => {
    const net = await redirecting([], { names: { "rebind.example": [[publicAddress], ["127.0.0.1"]] } });
    expect(await net.read("http://rebind.example/a")).toBe("image at rebind.example/a");
    expect([net.lookedUp, net.dialled]).toEqual([["rebind.example"], [ownAddress]]);
  });

  it("is connected to at any of its addresses, once all of them are checked", async () => {
    const both = [publicAddress, "2606:2800:220:1:248:1893:25c8:1946"];
    const net = await redirecting([], { names: { "dual.example": [both] } });
    expect(await net.read("http://dual.example/a")).toBe("image at dual.example/a");
    expect(net.dialled).toEqual(both.map((address) => `${address}:80`));
  });

  it("is checked again when a redirect leads to it again", async () => {
    const net = await redirecting(["/2"], { names: { "rebind.example": [[publicAddress], ["127.0.0.1"]] } });
    expect(await net.refusal("http://rebind.example/1")).toMatch(/could not be fetched/);
    expect(net.dialled).toEqual([ownAddress]);
  });

  it("is the TLS server name, at the checked address", async () => {
    const server = createTcpServer();
    const hello = once(server, "connection").then(async ([socket]) => {
      const [bytes] = (await once(socket as NodeJS.EventEmitter, "data")) as [Buffer];
      (socket as { destroy(): void }).destroy();
      return bytes.toString("latin1");
    });
    const net = await internet(() => undefined, { server });
    expect(await net.refusal("https://secure.example/a")).toMatch(/: could not be fetched from a public/);
    expect(await hello).toContain("secure.example");
    expect(net.dialled).toEqual([`${publicAddress}:443`]);
  });
});

describe("A4: an ambiguous URL", () => {
  it.each([
    ["http://a@127.0.0.1/", /user name or a password/],
    ["http://a.example:pw@b.example/", /user name or a password/],
    ["http://a.example\\@127.0.0.1/", /with the status 404$/],
    ["http:\\\\127.0.0.1\\a", /could not be fetched/],
    ["http:127.0.0.1", /could not be fetched/],
    ["HTTP://127.0.0.1", /could not be fetched/],
    ["http://127.0.0.1.", /could not be fetched/],
    ["\thttp://127.0.0.1/", /could not be fetched/],
    ["http://ⓛocalhost/", /could not be fetched/],
    ["file:///etc/passwd", /must be a data:, http: or https: URL/],
    ["ftp://a.example/a.png", /must be a data:, http: or https: URL/],
    ["gopher://a.example/", /must be a data:, http: or https: URL/],
    ["blob:http://a.example/1", /must be a data:, http: or https: URL/],
    ["javascript:alert(1)", /must be a data:, http: or https: URL/],
    ["/etc/passwd", /is not a data: or http\(s\) URL/],
    ["a.png", /is not a data: or http\(s\) URL/],
    ["", /is not a data: or http\(s\) URL/],
    ["//a.example/a.png", /is not a data: or http\(s\) URL/],
    [`http://a.example/${"a".repeat(9000)}`, /is not a data: or http\(s\) URL/],
  ])("%s is refused", async (url, message) => {
    const net = await internet((_request, response) => response.writeHead(404).end("secret"), {
      names: { localhost: [["127.0.0.1"]], "127.0.0.1.": [["127.0.0.1"]] },
    });
    const text = await net.refusal(url);
    expect(text).toMatch(message);
    expect(text.startsWith(`${param}: `)).toBe(true);
    expect(net.dialled.every((address) => address === ownAddress)).toBe(true);
  });
});

describe("A5: a hostile body", () => {
  it("is not read when its length header is too large", async () => {
    const net = await internet((_request, response) => {
      response.writeHead(200, { "content-length": 10 * 1024 * 1024 + 1 }).write("a");
    });
    expect(await net.refusal("http://a.example/")).toMatch(/is larger than the 10485760 bytes/);
  });

  it("is aborted when it is too large, whatever its length header", async () => {
    const net = await internet((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    expect(await net.refusal("http://a.example/")).toMatch(/is larger than the 10485760 bytes/);
  });

  it("is rejected when it is compressed, and is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const net = await internet((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    expect(await net.refusal("http://a.example/")).toMatch(/was sent compressed/);
  });

  it("is rejected when it is shorter than its length header", async () => {
    const net = await internet((request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("short", () => request.socket.end());
    });
    expect(await net.refusal("http://a.example/")).toMatch(/: could not be fetched from a public/);
    expect(net.logs.join()).toMatch(/does not match content-length|ECONNRESET/);
  });

  it.each(["headers", "body"])("is aborted after five seconds when its %s stall", async (what) => {
    const net = await internet((_request, response) => {
      if (what === "body") response.writeHead(200, { "content-length": 100 }).write("a");
      net.clock.advance(4_999);
      net.clock.advance(1);
    });
    expect(await net.refusal("http://a.example/")).toMatch(
      /could not be fetched from a public address within 5000 ms$/,
    );
  });

  it("has the same limit of five seconds over all redirects", async () => {
    const net = await internet((_request, response) => {
      net.clock.advance(2_000);
      response.writeHead(302, { location: "/again" }).end();
    });
    expect(await net.refusal("http://a.example/")).toMatch(
      /could not be fetched from a public address within 5000 ms$/,
    );
    expect(net.requests).toHaveLength(3);
  });

  it("is read without a content type and with a wrong one", async () => {
    const plain = await internet((_request, response) => response.end("bytes"));
    expect(await plain.read("http://a.example/")).toBe("bytes");
    const wrong = await internet((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("bytes"),
    );
    expect(await wrong.read("http://a.example/")).toBe("bytes");
  });

  it("is not read from an error response", async () => {
    const net = await internet((_request, response) => response.writeHead(404).end("secret of the server"));
    expect(await net.refusal("http://a.example/")).toBe(`${param}: was answered with the status 404`);
  });

  it("is aborted at once when its client leaves", async () => {
    const leaving = new AbortController();
    const net = await internet(() => leaving.abort(new Error("gone")));
    await expect(net.fetcher.fetch("http://a.example/", param, leaving.signal)).rejects.toThrow("gone");
  });
});

describe("A8: a request to another server", () => {
  it("contains nothing from the client, also after a redirect", async () => {
    const net = await redirecting(["http://b.example/image"]);
    await net.read("http://a.example/1");
    expect(net.requests.map((request) => [request.method, request.rawHeaders])).toEqual(
      ["a.example", "b.example"].map((host) => [
        "GET",
        ["host", host, "connection", "close", "accept", "image/*", "accept-encoding", "identity"].map(String),
      ]),
    );
  });

  it("uses no proxy", async () => {
    process.env["http_proxy"] = "http://127.0.0.1:9/";
    try {
      const net = await redirecting([]);
      expect(await net.read("http://a.example/x")).toBe("image at a.example/x");
    } finally {
      delete process.env["http_proxy"];
    }
  });
});
