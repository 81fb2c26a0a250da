/**
 * Decodes sound files in a worker thread, one file at a time; the teams take turns. The thread is ended when a file takes too much time or
 * memory.
 */
import { soundBytesMax, type DecodedSound, type SoundDecoder } from "../../core/prompt/sounds.js";
import type { Clock } from "../../core/clock.js";
import { HearthError } from "../../core/errors.js";
import { WorkerLostError } from "../worker/client-options.js";
import { WorkerClient } from "../worker/client.js";
import { FairQueue } from "../worker/fair-queue.js";
import type { SoundOutcome, SoundReplies, SoundRequest } from "./protocol.js";

interface SoundDecoderDeps {
  readonly clock: Clock;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (message: string) => void;
}

const base64CharsMax = (soundBytesMax / 3) * 4;
/** Time limit of one file. Ten minutes of sound take about 4 s on one core. */
const decodeMsMax = 60_000;
/** The thread's JavaScript heap. */
const memoryMbMax = 256;
const idleMsMax = 300_000;
/** Files that may wait, of all teams and of one. */
const waitingMax = 100;
const teamWaitingMax = 25;

/** Creates the decoder; its thread starts with the first file. */
export function createSoundDecoder({ clock, workerUrl, log }: SoundDecoderDeps): SoundDecoder {
  const worker = new WorkerClient<SoundRequest, SoundReplies>({
    clock,
    name: "audio",
    workerUrl,
    memoryMbMax,
    concurrencyMax: 1,
    callMsMax: decodeMsMax,
    idleMsMax,
    onAbort: "leave",
    closeMsMax: 0,
    log: (_level, message) => log(message),
  });
  const overloadedMessage = "Too many sound files are waiting to be decoded. Please try again later.";
  const queue = new FairQueue({ teamWaitingMax, waitingMax, overloadedMessage });
  return {
    async decode(base64, terms, { param, teamId }, signal) {
      if (base64.length > base64CharsMax) throw refused(param, `has more than ${soundBytesMax} bytes`);
      const outcome = await queue
        .run(teamId, async (): Promise<SoundOutcome> => {
          // Nobody waits for it any more.
          signal.throwIfAborted();
          return worker.call({ type: "decode", base64, ...terms });
        })
        .catch(orError(param));
      if (outcome.type === "refused") throw refused(param, outcome.problem);
      return outcome.type === "too-long" ? null : toDecoded(outcome, terms.sampleRate);
    },
    close: () => worker.close(),
  };
}

function toDecoded(
  { pcm, digest }: Extract<SoundOutcome, { type: "sound" }>,
  sampleRate: number,
): DecodedSound {
  return { medium: { type: "sound", pcm, digest }, seconds: pcm.length / sampleRate };
}

/** Returns what converts the loss of the thread to the client's error. */
function orError(param: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof WorkerLostError) || thrown.reason === "start") throw thrown;
    throw refused(
      param,
      thrown.reason === "timeout"
        ? `takes longer than ${decodeMsMax / 1000} s to decode`
        : "needs too much memory to be decoded, or is damaged",
      thrown,
    );
  };
}

/** @param problem a clause. @param cause for the log only. */
function refused(param: string, problem: string, cause?: unknown): HearthError {
  return new HearthError("invalid_value", `${param}: the sound file ${problem}`, { param, cause });
}
