/** Servers of the Model Context Protocol that requests name, and the port that talks to them. */

import type { ResultImage } from "./server-call.js";

/** A server as a request names it. */
export interface McpServer {
  /** Its name in the request; unique there. */
  readonly label: string;
  readonly url: string;
  /** Sent with each request to it. They may have secrets: they are neither logged nor stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** The field of the request that has the URL, for errors. */
  readonly param: string;
}

/** A tool as its server lists it. Everything in it is the server's text. */
export interface McpTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Hints about it, such as `readOnlyHint`; null = none. */
  readonly annotations: Readonly<Record<string, unknown>> | null;
}

/** What a call resulted in. */
export interface McpResult {
  /** Whether the tool, the server or the connection failed; the text says why. */
  readonly failed: boolean;
  readonly text: string;
  readonly images: readonly ResultImage[];
}

/** A connection to one server, which is opened when it is first needed. */
export interface McpSession {
  /**
   * Returns the tools of the server.
   * @throws HearthError `dependency_failed` that says why they cannot be listed. @throws the signal's reason when it aborts.
   */
  list(signal: AbortSignal): Promise<readonly McpTool[]>;
  /**
   * Calls a tool. Whatever fails is a failed result.
   * @param argumentsJson JSON text of the arguments. @throws the signal's reason when it aborts.
   */
  call(tool: string, argumentsJson: string, signal: AbortSignal): Promise<McpResult>;
  /** Ends the session; nothing waits for the server. */
  close(): void;
}

export interface McpConnector {
  /** Servers that one request may name. */
  readonly serversMax: number;
  /**
   * Opens a session; nothing is sent yet.
   * @throws HearthError `invalid_value` naming the server's field when this server may not connect to it.
   */
  open(server: McpServer): McpSession;
}
