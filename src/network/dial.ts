/** Connections to addresses that were resolved and checked before. */
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";

/** Opens a connection to a checked address. */
export type PinnedDial = (
  options: buildConnector.Options,
  address: LookupAddress,
  callback: buildConnector.Callback,
) => void;

/** Connects to an address that was checked; the name is not looked up again. TCP, and TLS for https. */
export function dialPinned(timeout: number): PinnedDial {
  return (options, address, callback) => {
    const lookup: LookupFunction = (_host, { all }, found) => {
      if (all === true) found(null, [address]);
      else found(null, address.address, address.family);
    };
    buildConnector({ timeout, lookup, maxCachedSessions: 0 })(options, callback);
  };
}
