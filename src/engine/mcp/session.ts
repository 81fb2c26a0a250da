/** A session with one MCP server, within the limits of time, bytes and tools. */
import { setMaxListeners } from "node:events";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { HearthError } from "../../core/errors.js";
import type { McpResult, McpServer, McpSession, McpTool } from "../../core/mcp/servers.js";
import type { Clock } from "../../core/clock.js";
import { connect } from "./connect.js";
import { callResult, quoted, readResult, readTool, toolsPage } from "./content.js";
import { createGuardedFetch, type GuardedFetch, type GuardedFetchDeps } from "./guarded-fetch.js";
import { listBytesMax, pagesMax, type McpLimits } from "./limits.js";
import { causeOf, Late, reasonOf } from "./reasons.js";
import { Refusal } from "./refusal.js";

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
/** Shorter values of headers are not masked: they would occur by chance. */
const secretCharsMin = 8;

/** Opens a session; nothing is sent yet. @param url of the server, which is allowed. */
export function openMcpSession(deps: McpSessionDeps, server: McpServer, url: URL): McpSession {
  return new Session(deps, server, url);
}

class Session implements McpSession {
  readonly #deps: McpSessionDeps;
  readonly #server: McpServer;
  readonly #url: URL;
  readonly #network: GuardedFetch;
  readonly #mask: (text: string) => string;
  #client: Promise<Client> | null = null;
  #isClosed = false;

  constructor(deps: McpSessionDeps, server: McpServer, url: URL) {
    this.#deps = deps;
    this.#server = server;
    this.#url = url;
    this.#network = createGuardedFetch(url, { ...deps, connectMsMax: deps.limits.timeoutMs });
    this.#mask = maskOf(server.headers);
  }

  async list(signal: AbortSignal): Promise<readonly McpTool[]> {
    try {
      return await this.#within(listBytesMax, signal, (until) => this.#listPages(until));
    } catch (thrown) {
      signal.throwIfAborted();
      const { label, param } = this.#server;
      const message = `The tools of the MCP server ${quoted(label)} cannot be listed: it ${this.#reasonOf(thrown, listBytesMax)}.`;
      throw new HearthError("dependency_failed", message, { param });
    }
  }

  async call(tool: string, argumentsJson: string, signal: AbortSignal): Promise<McpResult> {
    const given = parseArguments(argumentsJson);
    if (given === null) return failed("The arguments are not a JSON object.");
    const { resultBytesMax } = this.#deps.limits;
    try {
      return await this.#within(resultBytesMax, signal, async (until) => {
        const client = await this.#connected(until);
        const request = { method: "tools/call", params: { name: tool, arguments: given } };
        const result = readResult(await client.request(request, callResult, optionsOf(until)));
        return { ...result, text: this.#mask(result.text) };
      });
    } catch (thrown) {
      signal.throwIfAborted();
      return failed(
        `The MCP server ${quoted(this.#server.label)} ${this.#reasonOf(thrown, resultBytesMax)}.`,
      );
    }
  }

  close(): void {
    this.#isClosed = true;
    const closing = this.#client?.then((client) => client.close()) ?? Promise.resolve();
    void closing.catch(() => undefined).then(() => this.#network.close());
  }

  async #listPages(until: AbortSignal): Promise<readonly McpTool[]> {
    const client = await this.#connected(until);
    const { toolsMax } = this.#deps.limits;
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: "tools/list", params }, toolsPage, optionsOf(until));
      if (tools.length + page.tools.length > toolsMax)
        throw new Refusal(`lists more than ${toolsMax} tools (setting mcpToolsMax)`);
      tools.push(...page.tools.map(readTool));
      cursor = page.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new Refusal(`lists its tools on more than ${pagesMax} pages`);
  }

  /** Connects once; a connection that failed is tried again by the next call. */
  #connected(until: AbortSignal): Promise<Client> {
    if (this.#isClosed) throw new Refusal("is not used any more");
    this.#client ??= connect(this.#url, this.#server.headers, this.#network, this.#deps.version, until).catch(
      (thrown: unknown) => {
        this.#client = null;
        throw thrown;
      },
    );
    return this.#client;
  }

  /** Does the work within the limits of time and bytes. */
  async #within<T>(
    bytesMax: number,
    signal: AbortSignal,
    work: (until: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, limits } = this.#deps;
    const excess = this.#network.allow(bytesMax);
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
  }

  #reasonOf(thrown: unknown, bytesMax: number): string {
    this.#deps.log(`the MCP server ${quoted(this.#server.label)} failed: ${causeOf(thrown)}`);
    return this.#mask(reasonOf(thrown, bytesMax, this.#deps.limits.timeoutMs));
  }
}

function optionsOf(signal: AbortSignal) {
  // The SDK's own limits never apply: another clock measures them.
  return { signal, timeout: timerMsMax, maxTotalTimeout: timerMsMax };
}

/** Returns the object of a JSON text; null for any other text. */
function parseArguments(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json === "" ? "{}" : json);
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

/** Returns what masks the values of headers, with and without their scheme: what a server repeats of them is stored nowhere. */
function maskOf(headers: McpServer["headers"]): (text: string) => string {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
  const secrets = values.filter((value) => value.length >= secretCharsMin);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "[masked]"), text);
}

function rejectedWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}
