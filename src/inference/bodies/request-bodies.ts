/**
 * What models have read and written, for the teams that keep it: redacted, bounded for each request and in all, and stored for some days.
 * It is stored after its run is settled, so that it can neither fail nor delay the settlement.
 */
import type { Clock } from "../../core/clock.js";
import { limited } from "../content/limited.js";
import type { RunContent } from "../content/messages.js";
import type { Redact } from "./redaction.js";
import type { RequestBodyStore, StoredBodies } from "./store.js";

interface BodyLimits {
  /** Characters of what is stored of each request, and as many of its answer. */
  readonly requestBodyCharsMax: number;
  /** Bytes of all of them; 0: none are stored. */
  readonly requestBodiesBytesMax: number;
  readonly requestBodiesKeptDays: number;
}

/** The run that content belongs to. */
interface RunOfContent {
  readonly id: string;
  readonly teamId: string;
}

export type RequestBodies = ReturnType<typeof createRequestBodies>;

interface RequestBodiesDeps {
  readonly bodies: RequestBodyStore;
  readonly redact: Redact;
  readonly limits: BodyLimits;
  readonly clock: Clock;
  readonly onError: (thrown: unknown) => void;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Bodies that are deleted at a time to make room. */
const removedAtOnce = 100;

export function createRequestBodies(deps: RequestBodiesDeps) {
  const { bodies, clock, limits, onError } = deps;
  const bytesMax = limits.requestBodiesBytesMax;
  return {
    /** Characters of what is stored of each answer. */
    charsMax: limits.requestBodyCharsMax,
    /** Stores what a run has read and written. Never rejects: what cannot be stored is in the log. */
    async record(run: RunOfContent, content: RunContent): Promise<void> {
      if (bytesMax === 0) return;
      try {
        const stored = toStored(deps, run, content, clock.now());
        if (stored.bytes > bytesMax) return;
        await bodies.insert(stored);
        while ((await bodies.totalBytes()) > bytesMax)
          if ((await bodies.deleteOldest(removedAtOnce)) === 0) break;
      } catch (thrown) {
        onError(thrown);
      }
    },
  };
}

function toStored(
  { redact, limits }: RequestBodiesDeps,
  { id, teamId }: RunOfContent,
  content: RunContent,
  now: number,
): StoredBodies {
  const { requestBodyCharsMax: charsMax, requestBodiesKeptDays } = limits;
  // Cut only once it is redacted, because half a secret could not be recognized; but redacting takes time for each character.
  const [input, output] = [content.input, content.output].map((messages) => {
    const read = limited(messages, 2 * charsMax);
    const written = limited(redact(read.messages), charsMax);
    return { ...written, isCut: read.isCut || written.isCut };
  });
  const [inputText, outputText] = [input, output].map((each) => JSON.stringify(each?.messages ?? []));
  return {
    runId: id,
    teamId,
    input: inputText ?? "[]",
    output: outputText ?? "[]",
    bytes: Buffer.byteLength(inputText ?? "") + Buffer.byteLength(outputText ?? ""),
    isCut: input?.isCut === true || output?.isCut === true,
    createTime: now,
    expireTime: now + requestBodiesKeptDays * dayMs,
  };
}
