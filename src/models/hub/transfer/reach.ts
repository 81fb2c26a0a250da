/** How near an address is to this machine, which decides where a redirect may lead. */
import { BlockList, isIP } from "node:net";
import { isPublicAddress } from "../../../network/addresses.js";

/** How far from this machine an address is; farther ones come first. */
export const reaches = ["public", "private", "loopback"] as const;
export type AddressReach = (typeof reaches)[number];

/** Networks of an organisation, and one that some proxies use for every name. */
const private4 = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
] as const;
/** Addresses of metadata services within them: they give credentials to anyone on the machine. */
const metadata = ["100.100.100.200", "fd00:ec2::254", "fd20:ce::254"];

const inside = new BlockList();
for (const [network, prefix] of private4) inside.addSubnet(network, prefix, "ipv4");
inside.addSubnet("fc00::", 7, "ipv6");
const metadataServices = new BlockList();
for (const address of metadata) metadataServices.addAddress(address, address.includes(":") ? "ipv6" : "ipv4");
const own = new BlockList();
own.addSubnet("127.0.0.0", 8, "ipv4");
own.addAddress("::1", "ipv6");

/**
 * Returns how far an address is; null for one that nobody should be sent to: link-local, metadata services, multicast, reserved, IPv4
 * inside of IPv6, and other strings.
 */
export function findReach(address: string): AddressReach | null {
  if (isPublicAddress(address)) return "public";
  const version = isIP(address);
  if (version === 0 || address.includes("%") || /^::ffff:/i.test(address)) return null;
  const family = version === 4 ? "ipv4" : "ipv6";
  if (metadataServices.check(address, family)) return null;
  if (own.check(address, family)) return "loopback";
  return inside.check(address, family) ? "private" : null;
}
