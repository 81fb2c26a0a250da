import { BlockList, isIP } from "node:net";

/** IPv4 networks that are not public (RFC 6890 and its successors). */
const closed4 = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, metadata services
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
] as const;

/**
 * The IPv6 addresses assigned for public use. Loopback, unspecified, mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96), unique
 * local (fc00::/7), link-local (fe80::/10) and multicast (ff00::/8) addresses are outside of it.
 */
const open6 = ["2000::", 3] as const;

/** Networks within it that are not public. */
const closed6 = [
  ["2001::", 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: holds any IPv4 address
  ["3fff::", 20], // documentation
] as const;

const refused = new BlockList();
for (const [network, prefix] of closed4) refused.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of closed6) refused.addSubnet(network, prefix, "ipv6");
const open = new BlockList();
open.addSubnet(...open6, "ipv6");

/** Returns whether an address is public: anyone on the internet would reach the same machine at it. Other strings are not public. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, "ipv4");
    case 6:
      return !address.includes("%") && open.check(address, "ipv6") && !refused.check(address, "ipv6");
    default:
      return false;
  }
}
