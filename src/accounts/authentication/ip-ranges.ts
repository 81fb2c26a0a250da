/**
 * From where a key may be used: IP addresses and CIDR ranges, version 4 and 6. An address of version 6 that stands for one of
 * version 4 (`::ffff:10.0.0.1`) is that one. It owns what a range is and whether an address is within; it asks for none itself.
 */
import { BlockList, isIP, SocketAddress } from "node:net";
import { invalid } from "../field-rules.js";

const rangesMax = 100;
/** Lists that are kept read. */
const readMax = 1000;

/** One address is a range of its own. */
interface Range {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly bits: number;
}

/** Of a key; null = anywhere. @throws HearthError `invalid_value` naming the field and the place. */
export function checkIpRanges(ranges: readonly string[] | null): void {
  if (ranges === null) return;
  if (ranges.length === 0)
    throw invalid("ipRanges", "must not be empty: without it, a key opens from anywhere");
  if (ranges.length > rangesMax) throw invalid("ipRanges", `must not be more than ${rangesMax}`);
  ranges.forEach((written, index) => {
    if (rangeOf(written) === null)
      throw invalid(`ipRanges.${index}`, "must be an IP address or a range of them, such as 192.168.0.0/16");
  });
}

/** Tells whether an address is within one of these ranges, which have been checked. */
export type IsWithin = (ranges: readonly string[], address: string) => boolean;

/** Builds it; a bounded number of lists stay read, for a key is asked for over and over. */
export function createIpMatcher(): IsWithin {
  const known = new Map<string, Record<Range["family"], BlockList>>();
  return (ranges, address) => {
    const asked = plainAddress(address);
    if (asked === null) return false;
    const name = ranges.join();
    let lists = known.get(name);
    if (lists === undefined) {
      lists = listsOf(ranges);
      if (known.size >= readMax) known.clear();
      known.set(name, lists);
    }
    return lists[asked.family].check(asked.address, asked.family);
  };
}

/** A list for each version: one that is for all of version 6 says nothing of version 4. */
function listsOf(ranges: readonly string[]): Record<Range["family"], BlockList> {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const written of ranges) {
    const range = rangeOf(written);
    if (range !== null) lists[range.family].addSubnet(range.address, range.bits, range.family);
  }
  return lists;
}

function rangeOf(written: string): Range | null {
  const [, address = "", bits] = /^([0-9a-fA-F.:]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(written) ?? [];
  const width = isIP(address) === 4 ? 32 : 128;
  const wanted = bits === undefined ? width : Number(bits);
  const plain = plainAddress(address);
  if (plain === null || wanted > width) return null;
  if (width === 32 || plain.family === "ipv6") return { ...plain, bits: wanted };
  // The last 32 bits of such an address are those of version 4; fewer would be a part of version 6 after all.
  return wanted < 96 ? null : { ...plain, bits: wanted - 96 };
}

function plainAddress(written: string): Pick<Range, "address" | "family"> | null {
  const bare = written.replace(/%.*$/, "");
  const version = isIP(bare);
  if (version === 0) return null;
  if (version === 4) return { address: bare, family: "ipv4" };
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped === undefined ? { address, family: "ipv6" } : { address: mapped, family: "ipv4" };
}
