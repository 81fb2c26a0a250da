/** The address that printed links begin with. */
import { hostname } from "node:os";
import { isLoopback, type Config } from "./config.js";
import { configuredUrl } from "./configured-url.js";

/** Where a server listens. */
interface BoundAddress {
  readonly url: string;
  /** Names of its certificate; none without one. */
  readonly certificateNames: readonly string[];
}

/**
 * Returns what knows the address of a server for clients and browsers, without a slash at its end: `publicUrl`; else the address at which it
 * listens, or before that the configured one. Where that stands for all addresses of the machine, a name of its certificate or the machine's.
 */
export function followAddress(config: Config) {
  let listening: BoundAddress | null = null;
  return {
    set(bound: BoundAddress): void {
      listening = bound;
    },
    linkBase: (): string => {
      if (config.publicUrl !== null) return config.publicUrl;
      return listening === null ? configuredUrl(config) : reachableUrl(config, listening);
    },
  };
}

function reachableUrl({ host }: Config, { url, certificateNames }: BoundAddress): string {
  if (!["0.0.0.0", "::"].includes(host)) return url;
  const name = certificateNames.find((each) => !each.includes("*") && !isLoopback(each)) ?? hostname();
  return `${new URL(url).protocol}//${name.includes(":") ? `[${name}]` : name}:${new URL(url).port}`;
}
