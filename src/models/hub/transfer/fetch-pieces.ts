/** Downloads the missing bytes of a file: several ranges at a time, each repeated after a break from where it stopped. */
import { HearthError } from "../../../core/errors.js";
import { diskFull, isDiskFull, unusableSource, wrongSize } from "../errors.js";
import type { PartialFile, Piece } from "./partial-file.js";
import {
  lastingError,
  refuseStatus,
  readValidator,
  type FileSource,
  type Probe,
  type RequestDeps,
} from "./probe.js";
import { PassingFailure, pause, waitMsBefore } from "./retry.js";
import type { HubAnswer } from "./transport.js";

const connectionsMax = 4;
/** Failures of one range without this much progress between them. */
const failuresMax = 8;
const progressBytesMin = 64 * 1024;
/** An answer without a byte for this long is given up. */
const stallMsMax = 30_000;
const saveMs = 1_000;

/** The file is another one than when the download began. */
export class ChangedSource extends Error {}

interface FetchOptions {
  readonly source: FileSource;
  readonly about: Probe;
  readonly file: PartialFile;
  readonly folder: string;
  /** Throws when the first bytes do not belong to a file that is wanted. */
  readonly checkStart: (bytes: Uint8Array) => void;
  readonly onBytes: () => void;
  readonly signal: AbortSignal;
}

/**
 * Writes all missing bytes into the partial file.
 * @throws ChangedSource; HearthError; the reason of the signal. What was written is kept.
 */
export async function fetchPieces(deps: RequestDeps, options: FetchOptions): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const state = { ...options, signal, location: options.source.url, savedAt: deps.clock.monotonic() };
  if (!options.about.hasRanges) for (const piece of options.file.pieces) piece.done = 0;
  const open = options.about.hasRanges
    ? options.file.pieces.filter((piece) => piece.done < piece.end - piece.start)
    : [toWholePiece(options.file)];
  const work = async (): Promise<void> => {
    for (let piece = open.shift(); piece !== undefined; piece = open.shift())
      await fetchPiece(deps, state, piece);
  };
  const workers = Array.from({ length: Math.min(connectionsMax, open.length) }, () =>
    work().catch((thrown: unknown) => {
      failed.abort(thrown);
      throw thrown;
    }),
  );
  const ends = await Promise.allSettled(workers);
  await options.file.save().catch((thrown: unknown) => refuseWrite(options, thrown));
  options.signal.throwIfAborted();
  if (failed.signal.aborted) throw failed.signal.reason;
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

interface FetchState extends FetchOptions {
  /** Where the bytes came from last, after the redirects: servers sign such URLs for some time. */
  location: URL;
  savedAt: number;
}

/** Returns the file as one range, for a server without ranges. Its progress is spread over the pieces. */
function toWholePiece({ pieces, bytes }: PartialFile): Piece {
  return {
    start: 0,
    end: bytes,
    get done() {
      return pieces.reduce((sum, { done }) => sum + done, 0);
    },
    set done(done) {
      for (const piece of pieces)
        piece.done = Math.min(Math.max(0, done - piece.start), piece.end - piece.start);
    },
  };
}

async function fetchPiece(deps: RequestDeps, state: FetchState, piece: Piece): Promise<void> {
  let failures = 0;
  while (piece.done < piece.end - piece.start) {
    if (!state.about.hasRanges) piece.done = 0;
    const before = piece.done;
    try {
      await attempt(deps, state, piece);
    } catch (thrown) {
      state.signal.throwIfAborted();
      if (thrown instanceof ChangedSource) throw thrown;
      const isLocated = state.location.href !== state.source.url.href;
      state.location = state.source.url;
      // A signed URL has expired: the first one leads to another.
      if (thrown instanceof HearthError && !(isLocated && isAccessError(thrown))) throw thrown;
      const failure = thrown instanceof PassingFailure ? thrown : new PassingFailure(null, null, thrown);
      failures = state.about.hasRanges && piece.done - before >= progressBytesMin ? 1 : failures + 1;
      const waitMs = failures < failuresMax ? waitMsBefore(failures, failure) : null;
      if (waitMs === null) throw lastingError(state.source, failure);
      await pause(deps.clock, waitMs, state.signal);
    }
  }
}

function isAccessError({ code }: HearthError): boolean {
  return code === "gated" || code === "not_found" || code === "bad_status";
}

async function attempt({ clock, transport }: RequestDeps, state: FetchState, piece: Piece): Promise<void> {
  const from = piece.start + piece.done;
  const stalled = new AbortController();
  let lastAt = clock.monotonic();
  const watch = (): void => {
    const left = stallMsMax - (clock.monotonic() - lastAt);
    if (left <= 0) stalled.abort(new Error("no bytes in time"));
    else stopTimer = clock.after(left, watch);
  };
  let stopTimer = clock.after(stallMsMax, watch);
  try {
    const answer = await transport.get(state.location, {
      headers: rangeHeaders(state, from, piece.end),
      signal: AbortSignal.any([state.signal, stalled.signal]),
    });
    // Its errors are thrown where it is read; destroying it may emit another.
    answer.body.on("error", () => undefined);
    try {
      checkAnswer(state, answer, from, clock.now());
      state.location = answer.url;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        lastAt = clock.monotonic();
        await append(state, piece, chunk);
        if (lastAt - state.savedAt >= saveMs) await save(state, lastAt);
      }
    } finally {
      answer.body.destroy();
    }
    if (piece.done < piece.end - piece.start) throw new PassingFailure(null, null);
  } finally {
    stopTimer();
  }
}

function rangeHeaders({ about }: FetchState, from: number, end: number): Record<string, string> {
  if (!about.hasRanges) return {};
  const range = `bytes=${from}-${end - 1}`;
  return about.validator === null ? { range } : { range, "if-range": about.validator };
}

/** @throws ChangedSource, HearthError, PassingFailure */
function checkAnswer({ source, about }: FetchState, answer: HubAnswer, from: number, now: number): void {
  const { status, headers } = answer;
  if (status === 416) throw new ChangedSource();
  if (status !== 200 && status !== 206) refuseStatus(source, answer, now);
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? ""))
    throw unusableSource(source.name, "the server sends it compressed, though that was not asked for.");
  if (about.validator !== null && readValidator(headers) !== about.validator) throw new ChangedSource();
  if (!about.hasRanges) {
    if (status !== 200 || Number(headers["content-length"] ?? about.bytes) !== about.bytes)
      throw new ChangedSource();
    return;
  }
  if (status === 200) throw new ChangedSource();
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "");
  if (range?.[2] !== "*" && Number(range?.[2]) !== about.bytes) throw new ChangedSource();
  if (Number(range?.[1]) !== from)
    throw unusableSource(source.name, "the server sends another part of it than was asked for.");
}

async function append(state: FetchState, piece: Piece, chunk: Buffer): Promise<void> {
  const { source, file } = state;
  if (piece.done + chunk.length > piece.end - piece.start)
    throw wrongSize(
      source.name,
      file.bytes,
      Math.max(file.bytes + 1, piece.start + piece.done + chunk.length),
    );
  const position = piece.start + piece.done;
  if (position === 0) state.checkStart(chunk);
  try {
    await file.write(chunk, position);
  } catch (thrown) {
    refuseWrite(state, thrown);
  }
  piece.done += chunk.length;
  state.onBytes();
}

async function save(state: FetchState, now: number): Promise<void> {
  state.savedAt = now;
  try {
    await state.file.save();
  } catch (thrown) {
    refuseWrite(state, thrown);
  }
}

function refuseWrite({ folder, file }: FetchOptions, thrown: unknown): never {
  if (isDiskFull(thrown)) throw diskFull(folder, null);
  throw unusableSource(file.path, `it cannot be written (${readCode(thrown)}).`);
}

function readCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
}
