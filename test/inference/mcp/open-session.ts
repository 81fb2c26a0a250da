/** Sessions with test servers, as the server opens them: with a clock that tests move, and names that they choose. */
import type { LookupAddress } from "node:dns";
import type { McpSession } from "../../../src/core/tools/mcp-servers.js";
import { createMcpConnector } from "../../../src/inference/mcp/connector.js";
import { readAllowedHosts } from "../../../src/network/hosts.js";
import { createManualClock } from "../../kit/manual-clock.js";
import type { TestMcpServer } from "../../kit/doubles/mcp-server.js";

export const limits = { timeoutMs: 5_000, resultBytesMax: 10_000, toolsMax: 100 };
export const secret = "s3cret-t0ken-of-a-client";

interface Options {
  readonly hosts?: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a session as the server does. */
export function sessionWith(url: string, { hosts = [], names = {}, headers = {} }: Options) {
  const clock = createManualClock(0);
  const logs: string[] = [];
  const connector = createMcpConnector({
    clock,
    limits,
    serversMax: 4,
    version: "1.0.0",
    allowedHosts: readAllowedHosts(hosts, "mcpHosts"),
    lookup: (host): Promise<readonly LookupAddress[]> => {
      const address = names[host];
      return address === undefined
        ? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`))
        : Promise.resolve([{ address, family: 4 }]);
    },
    headers: () => ({}),
    log: (message) => logs.push(message),
  });
  const session = connector.open({ label: "tools", url, headers, param: "tools.0.server_url" });
  return { session, clock, logs };
}

export function sessionOf(server: TestMcpServer, headers: Readonly<Record<string, string>> = {}) {
  return sessionWith(server.url, { hosts: [server.host], headers });
}

export const { signal } = new AbortController();

/** Returns why the tools cannot be listed. */
export function problem(session: McpSession): Promise<string> {
  return session.list(signal).then(
    (tools) => `listed ${tools.length}`,
    (error: Error) => error.message,
  );
}
