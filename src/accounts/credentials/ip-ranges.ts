/**
 * Parses the IP addresses and CIDR ranges (IPv4 and IPv6) from which a key may be used, and matches addresses against them.
 * An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is the IPv4 address.
 */
import { BlockList, isIP, SocketAddress } from "node:net";
import { invalid } from "../field-rules.js";

const rangesMax = 100;
/** Parsed lists that are cached. */
const listsCachedMax = 1000;

interface Address {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
}

/** A single address is a range of all its bits. */
interface Range extends Address {
  readonly bits: number;
}

/** Checks the ranges of a key; null = any address. @throws HearthError `invalid_value` naming the field and the index. */
export function checkIpRanges(ranges: readonly string[] | null): void {
  if (ranges === null) return;
  if (ranges.length === 0) throw invalid("ipRanges", "must not be empty: omit it to allow any address");
  if (ranges.length > rangesMax) throw invalid("ipRanges", `must not be more than ${rangesMax}`);
  ranges.forEach((written, index) => {
    if (parseRange(written) === null)
      throw invalid(`ipRanges.${index}`, "must be an IP address or a range of them, such as 192.168.0.0/16");
  });
}

/** Returns whether an address is within one of these valid ranges. */
type IsWithin = (ranges: readonly string[], address: string) => boolean;

/** Creates a matcher that caches parsed lists, because a key is checked on every request. */
export function createIpMatcher(): IsWithin {
  const cache = new Map<string, Record<Range["family"], BlockList>>();
  return (ranges, address) => {
    const client = parseAddress(address);
    if (client === null) return false;
    const name = ranges.join();
    let lists = cache.get(name);
    if (lists === undefined) {
      lists = createLists(ranges);
      if (cache.size >= listsCachedMax) cache.clear();
      cache.set(name, lists);
    }
    return lists[client.family].check(client.address, client.family);
  };
}

/** One list for each version: `::/0` must not match IPv4 addresses. */
function createLists(ranges: readonly string[]): Record<Range["family"], BlockList> {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const written of ranges) {
    const range = parseRange(written);
    if (range !== null) lists[range.family].addSubnet(range.address, range.bits, range.family);
  }
  return lists;
}

function parseRange(written: string): Range | null {
  const [, address = "", bits] = /^([0-9a-fA-F.:]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(written) ?? [];
  const width = isIP(address) === 4 ? 32 : 128;
  const wanted = bits === undefined ? width : Number(bits);
  const parsed = parseAddress(address);
  if (parsed === null || wanted > width) return null;
  if (width === 32 || parsed.family === "ipv6") return { ...parsed, bits: wanted };
  // Only the last 32 bits of a mapped address are the IPv4 address: a shorter prefix is not an IPv4 range.
  return wanted < 96 ? null : { ...parsed, bits: wanted - 96 };
}

/** Returns an address in its shortest form, without a zone; null when it is not an IP address. */
function parseAddress(written: string): Address | null {
  const bare = written.replace(/%.*$/, "");
  const version = isIP(bare);
  if (version === 0) return null;
  if (version === 4) return { address: bare, family: "ipv4" };
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped === undefined ? { address, family: "ipv6" } : { address: mapped, family: "ipv4" };
}
