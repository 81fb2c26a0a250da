/** Which receivers of webhooks may have addresses that are not public, and be reached in plain text. */
import { readAllowedHosts, type AllowedHosts } from "../../../network/hosts.js";

/** The setting `alertHosts`. */
export type AllowedReceivers = ReturnType<typeof readReceivers>;

/**
 * Parses the setting: hosts as `readAllowedHosts` has them, each with a path behind it or without one.
 * @throws Error naming the setting and an invalid entry.
 */
export function readReceivers(entries: readonly string[], setting: string) {
  const parsed = entries.map((entry) => {
    const slash = entry.indexOf("/");
    const host = slash === -1 ? entry : entry.slice(0, slash);
    const path = slash === -1 ? null : entry.slice(slash);
    if (path !== null && (new URL(path, "https://host").pathname !== path || isEncoded(path)))
      throw new Error(`${setting}: '${entry}' has a path that is not plain`);
    return { path, hosts: readAllowedHosts([host], setting) };
  });
  const some = (rules: typeof parsed): AllowedHosts => ({
    isEmpty: rules.length === 0,
    allow: (url) => rules.some(({ hosts }) => hosts.allow(url)),
    name: (address, url) => rules.some(({ hosts }) => hosts.name(address, url)),
  });
  return {
    /** For channels of the operator: every host of the setting, with any path. */
    forServer: some(parsed),
    /** For a channel of a team: the hosts whose entry has a path, and this URL's path lies below it. */
    forTeam: ({ pathname }: URL): AllowedHosts =>
      some(parsed.filter(({ path }) => path !== null && isBelow(pathname, path))),
  };
}

function isBelow(pathname: string, path: string): boolean {
  if (isEncoded(pathname)) return false;
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** Some servers decode these before they resolve `..`. */
function isEncoded(path: string): boolean {
  return /%(2e|2f|5c)/i.test(path);
}
