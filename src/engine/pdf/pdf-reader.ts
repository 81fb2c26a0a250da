/**
 * Reads the text of PDF files in a worker thread, one file at a time; the teams take turns. The thread is ended when a file takes too
 * much time or memory. Texts are cached by the SHA-256 of the file, for each team of its own: a conversation sends its files again with
 * every turn.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.js";
import type { FileOrigin, PdfReader } from "../../core/prompt/documents.js";
import { HearthError } from "../../core/errors.js";
import { FairQueue } from "../worker/fair-queue.js";
import { WorkerLostError } from "../worker/client-options.js";
import { WorkerClient } from "../worker/client.js";
import type { PdfOutcome, PdfReplies, PdfRequest } from "./protocol.js";

interface PdfReaderDeps {
  readonly clock: Clock;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

const bytesMax = 32 * 1024 * 1024;
/** Time limit of one file. */
const readMsMax = 20_000;
/** The thread's JavaScript heap; sandbox.ts limits what is outside of it. */
const memoryMbMax = 512;
/** The library takes about 40 MB, which are freed when it is not used. */
const idleMsMax = 300_000;
/** Files that may wait, of all teams and of one. */
const waitingMax = 200;
const teamWaitingMax = 50;
const cachedCharsMax = 32_000_000;
const cachedFilesMax = 1_000;

/** Creates the reader; its thread starts with the first file. */
export function createPdfReader({ clock, workerUrl, log }: PdfReaderDeps): PdfReader {
  const worker = new WorkerClient<PdfRequest, PdfReplies>({
    clock,
    name: "pdf",
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    callMsMax: readMsMax,
    idleMsMax,
    onAbort: "leave",
    closeMsMax: 0,
    log: (_level, message) => log(message),
  });
  const overloadedMessage = "Too many PDF files are waiting to be read. Please try again later.";
  const queue = new FairQueue({ teamWaitingMax, waitingMax, overloadedMessage });
  const texts = new LRUCache<string, readonly string[]>({ max: cachedFilesMax, maxSize: cachedCharsMax });
  return {
    async read(bytes, { param, teamId }, signal) {
      if (bytes.length > bytesMax) throw refused(param, `has more than ${bytesMax} bytes`);
      const key = `${teamId}/${createHash("sha256").update(bytes).digest("hex")}`;
      const known = texts.get(key);
      if (known !== undefined) return known;
      const outcome = await queue
        .run(teamId, async (): Promise<PdfOutcome> => {
          const pages = texts.get(key);
          if (pages !== undefined) return { type: "text", pages };
          // Nobody waits for it any more.
          signal.throwIfAborted();
          return worker.call({ type: "read", bytes });
        })
        .catch(orError({ param, teamId }));
      if (outcome.type === "refused") throw refused(param, outcome.problem);
      texts.set(key, outcome.pages, { size: outcome.pages.reduce((sum, page) => sum + page.length, 1) });
      return outcome.pages;
    },
    close: () => worker.close(),
  };
}

/** Returns what converts the loss of the thread to the client's error. */
function orError({ param }: FileOrigin): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
    throw refused(
      param,
      thrown.reason === "timeout"
        ? `takes longer than ${readMsMax / 1000} s to read`
        : "needs too much memory to be read, or is damaged",
      thrown,
    );
  };
}

/** @param problem a clause. @param cause for the log only. */
function refused(param: string, problem: string, cause?: unknown): HearthError {
  return new HearthError("invalid_value", `${param}: the PDF file ${problem}`, { param, cause });
}
