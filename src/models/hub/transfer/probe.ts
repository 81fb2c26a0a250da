/** What a server says about a file before its bytes are asked for. */
import type { Clock } from "../../../core/clock.js";
import { HearthError } from "../../../core/errors.js";
import { badStatus, noNetwork, unusableSource, wrongSize } from "../errors.js";
import { isPassing, PassingFailure, pause, retryAfterMs, waitMsBefore } from "./retry.js";
import type { HubAnswer, Transport } from "./transport.js";

export interface Probe {
  readonly bytes: number;
  /** Whether parts of the file can be asked for. */
  readonly hasRanges: boolean;
  /**
   * A strong validator of the content: an ETag, else a modification time. null: the server sends none, or the hash is known, which says
   * more: the ETags of a content delivery network may differ between its servers.
   */
  readonly validator: string | null;
  /** As the hub's list or its redirect states it; null: unknown. */
  readonly sha256: string | null;
}

/** Where the bytes of a file come from. */
export interface FileSource {
  readonly url: URL;
  /** The name in messages. */
  readonly name: string;
  /** The page where access is asked for; null for a plain URL. */
  readonly page: string | null;
  readonly hasToken: boolean;
  /** As the hub's list states them; null for a plain URL. */
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export interface RequestDeps {
  readonly clock: Clock;
  readonly transport: Transport;
}

const failuresMax = 6;
const answerMsMax = 30_000;

/** Asks for the first byte of the file. @throws HearthError */
export async function probe(deps: RequestDeps, source: FileSource, signal: AbortSignal): Promise<Probe> {
  return repeated(deps, source, signal, async () => {
    const late = new AbortController();
    const stopTimer = deps.clock.after(answerMsMax, () => late.abort(new Error("no answer in time")));
    try {
      const answer = await deps.transport.get(source.url, {
        headers: { range: "bytes=0-0" },
        signal: AbortSignal.any([signal, late.signal]),
      });
      // Without ranges the body is the whole file, which is not read here.
      answer.body.on("error", () => undefined);
      answer.body.destroy();
      return readProbe(source, answer, deps.clock.now());
    } finally {
      stopTimer();
    }
  });
}

/** Throws the error of an answer that has not the bytes that were asked for. @throws PassingFailure, HearthError */
export function refuseStatus(source: FileSource, answer: HubAnswer, now: number): never {
  if (isPassing(answer.status))
    throw new PassingFailure(answer.status, retryAfterMs(answer.headers["retry-after"], now));
  throw badStatus(answer.status, source.name, source.page, source.hasToken);
}

/** Returns the public error of a failure that has not passed. */
export function lastingError(source: FileSource, failure: PassingFailure): HearthError {
  return failure.status === null
    ? noNetwork(source.url.host, failure.cause)
    : badStatus(failure.status, source.name, source.page, source.hasToken);
}

/** Returns the validator of an answer that stays the same as long as the content does. */
export function readValidator({ etag, "last-modified": modified }: HubAnswer["headers"]): string | null {
  if (etag !== undefined) return etag.startsWith("W/") ? null : etag;
  return modified ?? null;
}

async function repeated<T>(
  { clock }: RequestDeps,
  source: FileSource,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof HearthError) throw thrown;
      const failure = thrown instanceof PassingFailure ? thrown : new PassingFailure(null, null, thrown);
      const waitMs = failures < failuresMax ? waitMsBefore(failures, failure) : null;
      if (waitMs === null) throw lastingError(source, failure);
      await pause(clock, waitMs, signal);
    }
  }
}

function readProbe(source: FileSource, answer: HubAnswer, now: number): Probe {
  const { status, headers } = answer;
  const isEmpty = status === 416 && source.bytes === 0;
  if (status !== 206 && status !== 200 && !isEmpty) refuseStatus(source, answer, now);
  const stated =
    status === 206 ? /\/(\d+)$/.exec(headers["content-range"] ?? "")?.[1] : headers["content-length"];
  // The hub states the size of a small text in its list alone.
  const total = isEmpty ? 0 : (stated ?? source.bytes);
  if (total === null || !Number.isSafeInteger(Number(total)))
    throw unusableSource(source.name, "the server does not state its size.");
  const bytes = Number(total);
  if (source.bytes !== null && bytes !== source.bytes) throw wrongSize(source.name, source.bytes, bytes);
  const linked = (answer.first["x-linked-etag"] ?? "").replaceAll('"', "");
  const sha256 = source.sha256 ?? (/^[0-9a-f]{64}$/.test(linked) ? linked : null);
  const validator = sha256 === null ? readValidator(headers) : null;
  return { bytes, hasRanges: status === 206, validator, sha256 };
}
