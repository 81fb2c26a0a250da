/**
 * Connects to an MCP server by the protocol's own SDK, which is loaded with the first connection. The newer transport (streamable HTTP)
 * is tried first, then the older one (HTTP with server-sent events), as the protocol specifies.
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpServer } from "../../core/tools/mcp-servers.js";
import type { ArgumentTexts } from "./argument-texts.js";
import type { GuardedFetch } from "./guarded-fetch.js";

/** An initialized session. */
export interface McpConnection {
  readonly client: Client;
  /** Whether one stream has the answers of all calls: the older transport. */
  readonly sharesStream: boolean;
  /** Ends the session on the server, where it has one, and closes the connection. */
  end(): Promise<void>;
}

interface ConnectDeps {
  readonly fetch: GuardedFetch["fetch"];
  readonly texts: ArgumentTexts;
  readonly version: string;
}

/** Statuses with which servers answer that know the older transport only. */
const olderStatuses: readonly unknown[] = [400, 404, 405];

/** Opens a session. @throws Error of the SDK or of the network. */
export async function connect(
  url: URL,
  headers: McpServer["headers"],
  { fetch, texts, version }: ConnectDeps,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport, StreamableHTTPError } =
    await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const requestInit = { headers: { ...headers } };
  const connected = async (transport: Transport): Promise<Client> => {
    // Only its `request` is used: `listTools` and `callTool` would compile the schemas of the server.
    const client = new Client({ name: "hearth", version });
    await client.connect(transport, { signal });
    return client;
  };
  const sending = texts.wrap(fetch);
  try {
    const options = { fetch: withoutNotifications(sending), requestInit, reconnectionOptions };
    const transport = new StreamableHTTPClientTransport(url, options);
    const client = await connected(transport);
    return {
      client,
      sharesStream: false,
      async end() {
        // A server need not know sessions, or end them.
        await transport.terminateSession().catch(() => undefined);
        await client.close();
      },
    };
  } catch (thrown) {
    const isOlder = thrown instanceof StreamableHTTPError && olderStatuses.includes(thrown.code);
    if (!isOlder || signal.aborted) throw thrown;
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    const client = await connected(new SSEClientTransport(url, { fetch: sending, requestInit })).catch(() => {
      throw thrown;
    });
    return { client, sharesStream: true, end: () => client.close() };
  }
}

const reconnectionOptions = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
};

/** Answers the request for a stream of notifications, which nothing reads, as servers without one do. */
function withoutNotifications(fetch: FetchLike): FetchLike {
  return (url, init) =>
    init?.method === "GET" ? Promise.resolve(new Response(null, { status: 405 })) : fetch(url, init);
}
