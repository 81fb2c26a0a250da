/** A session with one MCP server, within the limits of time, bytes and tools. */
import { setMaxListeners } from "node:events";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { HearthError } from "../../core/errors.js";
import type { McpResult, McpServer, McpSession, McpTool } from "../../core/tools/mcp-servers.js";
import type { Clock } from "../../core/clock.js";
import { createArgumentTexts } from "./argument-texts.js";
import { connect, type McpConnection } from "./connect.js";
import { callResult, quoteForeign, readResult, readTool, toolsPage } from "./content.js";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchDeps,
  TooManyBytes,
} from "./guarded-fetch.js";
import { maskedTool, createMcpMask, type SecretMask } from "./masking.js";
import { McpRefusal } from "./refusal.js";

/** Pages of a list of tools. */
const pagesMax = 100;

/** Bytes of a list of tools, over all of its pages. */
const listBytesMax = 4 * 1024 * 1024;

/** Bytes of the answer to the end of a session. */
const endBytesMax = 64 * 1024;

export interface McpSessionDeps extends Omit<GuardedFetchDeps, "connectMsMax"> {
  readonly clock: Clock;
  readonly limits: McpLimits;
  /** Name and version of this program, as servers see them. */
  readonly version: string;
  /** Receives the real cause of a failure, which clients never see. */
  readonly log: (message: string) => void;
}

/** The longest delay of a timer. */
const timerMsMax = 2_147_483_647;

/** Opens a session; nothing is sent yet. @param url of the server, which is allowed. */
export function openMcpSession(deps: McpSessionDeps, server: McpServer, url: URL): McpSession {
  return new Session(deps, server, url);
}

class Session implements McpSession {
  readonly #deps: McpSessionDeps;
  readonly #server: McpServer;
  readonly #url: URL;
  readonly #network: GuardedFetch;
  readonly #mask: SecretMask;
  readonly #texts = createArgumentTexts();
  #connection: Promise<McpConnection> | null = null;
  /** Whether one stream has the answers of all calls; null while that is not known. */
  #sharesStream: boolean | null = null;
  /** Calls whose answers come on one stream are made one at a time. */
  #lastCall: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(deps: McpSessionDeps, server: McpServer, url: URL) {
    this.#deps = deps;
    this.#server = server;
    this.#url = url;
    this.#network = createGuardedFetch(url, { ...deps, connectMsMax: deps.limits.timeoutMs });
    this.#mask = createMcpMask(server, url);
  }

  async list(signal: AbortSignal): Promise<readonly McpTool[]> {
    try {
      return await this.#within(listBytesMax, signal, (until) => this.#listPages(until));
    } catch (thrown) {
      signal.throwIfAborted();
      const { label, param } = this.#server;
      const message = `The tools of the MCP server ${quoteForeign(label)} cannot be listed: it ${this.#describeFailure(thrown, listBytesMax)}.`;
      throw new HearthError("dependency_failed", message, { param });
    }
  }

  async call(tool: string, argumentsJson: string, signal: AbortSignal): Promise<McpResult> {
    const json = argumentsJson === "" ? "{}" : argumentsJson;
    const given = parseArguments(json);
    if (given === null) return failed("The arguments are not a JSON object.");
    const { resultBytesMax } = this.#deps.limits;
    try {
      return await this.#inTurn(resultBytesMax, signal, async (until) => {
        const { client } = await this.#connected(until);
        const request = { method: "tools/call", params: { name: tool, arguments: given } };
        const result = readResult(
          await this.#texts.during(json, () => client.request(request, callResult, createOptions(until))),
        );
        return { ...result, text: this.#mask(result.text) };
      });
    } catch (thrown) {
      signal.throwIfAborted();
      return failed(
        `The MCP server ${quoteForeign(this.#server.label)} ${this.#describeFailure(thrown, resultBytesMax)}.`,
      );
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { clock, limits } = this.#deps;
    const ended = this.#network.within(endBytesMax, async () => (await this.#connection)?.end());
    const stopTimer = clock.after(limits.timeoutMs, () => this.#network.close());
    void ended
      .catch(() => undefined)
      .then(() => {
        stopTimer();
        this.#network.close();
      });
  }

  async #listPages(until: AbortSignal): Promise<readonly McpTool[]> {
    const { client } = await this.#connected(until);
    const { toolsMax } = this.#deps.limits;
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const page = await listPage(client, cursor, until);
      if (tools.length + page.tools.length > toolsMax)
        throw new McpRefusal(`lists more than ${toolsMax} tools (setting mcpToolsMax)`);
      tools.push(...page.tools.map((tool) => maskedTool(readTool(tool, this.#mask), this.#mask)));
      cursor = page.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new McpRefusal(`lists its tools on more than ${pagesMax} pages`);
  }

  /** Connects once; a connection that failed is tried again by the next call. */
  #connected(until: AbortSignal): Promise<McpConnection> {
    if (this.#isClosed) throw new McpRefusal("is not used any more");
    this.#connection ??= this.#connect(until);
    return this.#connection;
  }

  async #connect(until: AbortSignal): Promise<McpConnection> {
    const network = this.#network;
    const deps = {
      fetch: (url: string | URL, init?: RequestInit) => network.fetch(url, init),
      texts: this.#texts,
      version: this.#deps.version,
    };
    try {
      const connection = await connect(this.#url, this.#server.headers, deps, until);
      this.#sharesStream = connection.sharesStream;
      return connection;
    } catch (thrown) {
      this.#connection = null;
      throw thrown;
    }
  }

  /** Does the work of a call, at the same time as the work of others, unless all answers come on one stream. */
  async #inTurn<T>(
    bytesMax: number,
    signal: AbortSignal,
    work: (until: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#sharesStream ??= await this.#within(bytesMax, signal, async (until) => {
      return (await this.#connected(until)).sharesStream;
    });
    const begin = () => this.#within(bytesMax, signal, work);
    if (!this.#sharesStream) return begin();
    const call = this.#lastCall.then(begin);
    this.#lastCall = call.catch(() => undefined);
    return call;
  }

  /** Does the work within the limits of time and bytes. */
  #within<T>(bytesMax: number, signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, limits } = this.#deps;
    return this.#network.within(bytesMax, async (excess) => {
      const late = new AbortController();
      const stopTimer = clock.after(limits.timeoutMs, () => late.abort(new Late()));
      const until = AbortSignal.any([signal, late.signal, excess]);
      // Each page of a list adds listeners.
      setMaxListeners(0, until);
      try {
        return await Promise.race([work(until), rejectedWhenAborted(until)]);
      } catch (thrown) {
        // The SDK wraps the reason of a signal.
        throw until.aborted ? until.reason : thrown;
      } finally {
        stopTimer();
      }
    });
  }

  #describeFailure(thrown: unknown, bytesMax: number): string {
    this.#deps.log(`the MCP server ${quoteForeign(this.#server.label)} failed: ${describeCause(thrown)}`);
    return describeMcpFailure(thrown, { bytesMax, timeoutMs: this.#deps.limits.timeoutMs, mask: this.#mask });
  }
}

function listPage(client: Client, cursor: string | undefined, until: AbortSignal) {
  const params = cursor === undefined ? {} : { cursor };
  return client.request({ method: "tools/list", params }, toolsPage, createOptions(until));
}

function createOptions(signal: AbortSignal) {
  // The SDK's own limits never apply: another clock measures them.
  return { signal, timeout: timerMsMax, maxTotalTimeout: timerMsMax };
}

/** Returns the object of a JSON text; null for any other text. */
function parseArguments(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function failed(text: string): McpResult {
  return { failed: true, text, images: [] };
}

function rejectedWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Why an MCP server could not be used: for clients, and for the log. The server did not answer in time. */
class Late extends Error {}

/** The code with which the SDK itself reports that the connection is closed. */
const connectionClosed = -32_000;

interface ReasonContext {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly mask: SecretMask;
}

/**
 * Returns the reason as the end of a sentence whose subject is the server. All failures of names, addresses and connections have one
 * reason: several would show a client which names of the internal network exist.
 */
function describeMcpFailure(thrown: unknown, { bytesMax, timeoutMs, mask }: ReasonContext): string {
  if (thrown instanceof McpRefusal) return mask(thrown.message);
  if (thrown instanceof Late) return `did not answer within ${timeoutMs} ms`;
  if (thrown instanceof TooManyBytes) return `answers with more than ${bytesMax} bytes`;
  const { name, message, status, rpcCode } = findError(thrown);
  if (name === "ZodError" || name === "$ZodError" || name === "SyntaxError")
    return "does not answer as the protocol specifies";
  if (rpcCode === connectionClosed && message.endsWith("Connection closed"))
    return "has closed the connection";
  // Masked before it is cut: a part of a secret would not be found.
  if (rpcCode !== null) return `reports the error ${rpcCode}: ${quoteForeign(mask(message))}`;
  if (status !== null && status >= 300 && status < 400) return "redirects to another origin";
  if (status !== null && status >= 400 && status < 600) return `answers with the status ${status}`;
  return status === -1
    ? "does not answer as the protocol specifies"
    : "could not be reached at an allowed address";
}

/** Returns the cause for the log: names and codes, no text of the server, which could repeat what it was sent. */
function describeCause(thrown: unknown): string {
  if (thrown instanceof McpRefusal) return "its tools are not usable";
  const { name, status, rpcCode } = findError(thrown);
  const code = status ?? rpcCode;
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : null;
  const network = cause === null ? "" : ` (${"code" in cause ? String(cause.code) : cause.message})`;
  return `${thrown instanceof Error ? thrown.constructor.name : name}${code === null ? "" : ` ${code}`}${network}`;
}

/** The codes of JSON-RPC are the server's to choose: one of them may equal a status of HTTP. */
function findError(thrown: unknown) {
  if (!(thrown instanceof Error)) return { name: "unknown", message: "", status: null, rpcCode: null };
  const { name, message } = thrown;
  const code = "code" in thrown && typeof thrown.code === "number" ? thrown.code : null;
  // The SDK's name of the errors that servers report.
  return name === "McpError"
    ? { name, message, status: null, rpcCode: code }
    : { name, message, status: code, rpcCode: null };
}

/** What a session may take. */
interface McpLimits {
  /** Time of the connection and the list of tools together, and of each call. */
  readonly timeoutMs: number;
  /** Bytes of the result of a call. */
  readonly resultBytesMax: number;
  /** Tools that a server may list. */
  readonly toolsMax: number;
}
