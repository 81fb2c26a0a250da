/**
 * The `fetch` of one session: it connects only to the origin of its server, at an address that was resolved and checked, and reads no
 * more bytes than allowed. It keeps nothing between sessions.
 */
import { fetch as undiciFetch } from "undici";
import { isPublicAddress } from "../../network/addresses.js";
import { createGuardedAgent, type Lookup } from "../../network/guarded-agent.js";
import type { AllowedHosts } from "../../network/hosts.js";
import { CallContext } from "./call-context.js";

/** Bytes of the headers of an answer. */
const headerBytesMax = 16 * 1024;

export interface GuardedFetchDeps {
  readonly allowedHosts: AllowedHosts;
  /** Absent: the system's resolver. */
  readonly lookup?: Lookup;
  readonly connectMsMax: number;
  /** Returns headers that each request has in addition. */
  readonly headers: () => Readonly<Record<string, string>>;
}

export type GuardedFetch = ReturnType<typeof createGuardedFetch>;

/** An answer has more bytes than allowed. */
export class TooManyBytes extends Error {}

/** The bytes that some work may read. */
class Allowance {
  readonly #excess = new AbortController();
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get excess(): AbortSignal {
    return this.#excess.signal;
  }

  /** @throws TooManyBytes. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    this.#excess.abort(new TooManyBytes());
    throw new TooManyBytes();
  }
}

/** Creates the `fetch` for a server. */
export function createGuardedFetch(server: URL, deps: GuardedFetchDeps) {
  const { allowedHosts, lookup, connectMsMax } = deps;
  const agent = createGuardedAgent({
    isAllowed: (address) => isPublicAddress(address) || allowedHosts.name(address, server),
    headerBytesMax,
    connectMsMax,
    lookup,
  });
  const current = new CallContext<Allowance>();
  let latest = new Allowance(0);
  const counted = (allowance: () => Allowance): TransformStream<Uint8Array, Uint8Array> =>
    new TransformStream({
      transform(chunk, controller) {
        allowance().take(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
  return {
    async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      const { origin } = new URL(url);
      if (origin !== server.origin) throw new Error(`${origin} is not the origin of the server`);
      const headers = withHeaders(init, deps.headers());
      const options = { ...(init as object), headers, redirect: "manual", dispatcher: agent } as const;
      const own = current.get();
      // The older transport has one stream for the answers of all calls, which are made one at a time.
      const isShared = own === undefined || init?.method === undefined || init.method === "GET";
      const allowance = (): Allowance => (isShared ? latest : own);
      // The types of the package and of Node.js name the same classes.
      const response: unknown = await undiciFetch(url, options);
      const { status, statusText, headers: answered, body } = response as Response;
      const head = { status, statusText, headers: [...answered.entries()] };
      return new Response(body === null ? null : body.pipeThrough(counted(allowance)), head);
    },
    /**
     * Does work whose requests may read so many bytes together. What a stream sends that other work has opened counts for the latest.
     * @param work its signal aborts when there are more.
     */
    within<T>(bytes: number, work: (excess: AbortSignal) => Promise<T>): Promise<T> {
      const allowance = new Allowance(bytes);
      latest = allowance;
      return current.during(allowance, () => work(allowance.excess));
    },
    /** Ends every connection. */
    close: (): void => void agent.destroy().catch(() => undefined),
  };
}

function withHeaders(
  init: RequestInit | undefined,
  more: Readonly<Record<string, string>>,
): [string, string][] {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return [...headers];
}
