import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/network/addresses.js";
import { internet, publicAddress } from "./servers.js";

/** First and last address of every non-public network. */
const edges = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
] as const;

const numberOf = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

describe("A1: an address that is not public", () => {
  it("is every address inside the non-public IPv4 networks and none outside, up to the boundaries", () => {
    const ranges = edges.map(([first, last]) => [numberOf(first), numberOf(last)] as const);
    const isClosed = (value: number): boolean =>
      ranges.some(([first, last]) => value >= first && value <= last);
    const interesting = ranges.flatMap(([first, last]) =>
      [first - 1, first, last, last + 1].filter((value) => value >= 0 && value < 2 ** 32),
    );
    const any = fc.oneof(fc.constantFrom(...interesting), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
    fc.assert(
      fc.property(any, (value) => {
        expect([dotted(value), isPublicAddress(dotted(value))]).toEqual([dotted(value), !isClosed(value)]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.216.34",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::5db8:d822",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
    "0x7f.1",
  ])("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([publicAddress, "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4001::200e"])(
    "is not %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    "http://127.0.0.1/a.png",
    "http://[::1]/a.png",
    "http://0.0.0.0/a.png",
    "http://0/a.png",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.1.2.3/",
    "http://172.31.255.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://localhost/",
    "http://printer.lan/",
  ])("is not connected to as %s, whatever the operator allows", async (url) => {
    const net = await internet((_request, response) => response.end("secret"), {
      names: { localhost: [["127.0.0.1", "::1"]], "printer.lan": [["192.168.3.4"]] },
    });
    expect(await net.refusal(url)).toMatch(/: could not be fetched from a public address within 5000 ms$/);
    expect(net.dialled).toEqual([]);
  });

  it("E20: has the message of a name that does not exist, that refuses and that is slow", async () => {
    const net = await internet(
      (_request, response) => {
        net.clock.advance(5_000);
        response.writeHead(200).flushHeaders();
      },
      { names: { "inside.example": [["10.0.0.1"]], "none.example": [[]], "unknown.example": [] } },
    );
    const names = ["inside.example", "none.example", "unknown.example", "slow.example"];
    const messages = [];
    for (const name of names) messages.push(await net.refusal(`http://${name}/`));
    expect(new Set(messages).size).toBe(1);
    expect(net.logs[0]).toContain("not public");
  });

  it("makes a name unusable that also has public addresses", async () => {
    const net = await internet((_request, response) => response.end("secret"), {
      names: { "half.example": [[publicAddress, "10.0.0.1"]] },
    });
    expect(await net.refusal("http://half.example/a.png")).toMatch(/could not be fetched/);
    expect(net.dialled).toEqual([]);
  });
});
