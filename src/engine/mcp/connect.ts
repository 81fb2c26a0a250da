/**
 * Connects to an MCP server by the protocol's own SDK, which is loaded with the first connection. The newer transport (streamable HTTP)
 * is tried first, then the older one (HTTP with server-sent events), as the protocol specifies.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpServer } from "../../core/mcp/servers.js";
import type { GuardedFetch } from "./guarded-fetch.js";

/** Statuses with which servers answer that know the older transport only. */
const olderStatuses: readonly unknown[] = [400, 404, 405];

/** Returns a client whose session is initialized. @throws Error of the SDK or of the network. */
export async function connect(
  url: URL,
  headers: McpServer["headers"],
  { fetch }: Pick<GuardedFetch, "fetch">,
  version: string,
  signal: AbortSignal,
): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } =
    await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const requestInit = { headers: { ...headers } };
  const connected = async (transport: Transport): Promise<Client> => {
    // Only its `request` is used: `listTools` and `callTool` would compile the schemas of the server.
    const client = new Client({ name: "hearth", version });
    await client.connect(transport, { signal });
    return client;
  };
  try {
    const options = { fetch: withoutNotifications(fetch), requestInit, reconnectionOptions };
    return await connected(new StreamableHTTPClientTransport(url, options));
  } catch (thrown) {
    const isOlder = thrown instanceof Error && "code" in thrown && olderStatuses.includes(thrown.code);
    if (!isOlder || signal.aborted) throw thrown;
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    return connected(new SSEClientTransport(url, { fetch, requestInit })).catch(() => {
      throw thrown;
    });
  }
}

const reconnectionOptions = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
};

/** Answers the request for a stream of notifications, which nothing reads, as servers without one do. */
function withoutNotifications(fetch: GuardedFetch["fetch"]): FetchLike {
  return (url, init) =>
    init?.method === "GET" ? Promise.resolve(new Response(null, { status: 405 })) : fetch(url, init);
}
