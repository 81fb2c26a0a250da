/**
 * The thread of all text models as the other threads use it. It has the native library, every loaded GGUF model, and the vocabularies and
 * templates of models that run in other servers (worker.ts), so that neither prefill nor a long text blocks other requests.
 */
import type { Clock } from "../../core/clock.js";
import type { InputSource } from "../../core/embeddings/request.js";
import type { Conversation } from "../../core/engine.js";
import type { EngineEvent, RawPrompt } from "../../core/generation.js";
import type { LlamaSettings } from "../llama/protocol.js";
import { createLanguageWorker } from "../language/language-worker.js";
import { WorkerClient } from "../worker/client.js";
import type { TextReplies, TextRequest } from "./protocol.js";

/** Time to store long prefixes and free native memory; what is not stored by then is evaluated again. */
const closeMsMax = 8_000;
/** Seconds that the thread's event loop may be blocked. To start a GPU or to read a large vocabulary blocks it for long. */
const blockedSecondsMax = { otherwise: 10, loading: 60 } as const;
/** Characters that are tokenized in a second, at least: a long text blocks the event loop, too. */
const charactersPerSecondMin = 100_000;

interface TextThreadOptions {
  readonly settings: LlamaSettings;
  readonly clock: Clock;
  /** Compiled worker.js; tests that run from the sources pass the compiled one, too. */
  readonly workerUrl: URL;
  readonly log: (level: "warn" | "error", message: string) => void;
  /** Called when the thread hangs in native code: only the end of the process ends it. */
  readonly onHang?: () => void;
}

export type TextThread = ReturnType<typeof createTextThread>;

/** Creates the client of the thread, which starts with the first load. */
export function createTextThread({ settings, ...options }: TextThreadOptions) {
  const whenLost: (() => void)[] = [];
  const worker = new WorkerClient<TextRequest, TextReplies, readonly EngineEvent[]>({
    ...options,
    name: "llama",
    workerData: settings,
    onAbort: "stop",
    blockedSecondsMax: (inFlight) =>
      Math.max(0, ...inFlight.map(allowedSeconds)) + blockedSecondsMax.otherwise,
    closeMsMax,
    onExit() {
      for (const action of whenLost) action();
    },
  });
  return { worker, language: createLanguageWorker(worker, (action) => void whenLost.push(action)) };
}

/** Seconds that a request may block the thread for, in addition to those that any may. */
function allowedSeconds(request: TextRequest): number {
  switch (request.type) {
    case "load":
    case "unload":
      return blockedSecondsMax.loading;
    case "tokenize":
      return Math.floor(request.text.length / charactersPerSecondMin);
    case "inputs":
      return Math.floor(countCharacters(request.source) / charactersPerSecondMin);
    case "prompt":
      return Math.floor(measurePrompt(request.source) / charactersPerSecondMin);
    default:
      return 0;
  }
}

function measurePrompt(source: Conversation | RawPrompt): number {
  if ("prompt" in source) return source.prompt.length + (source.suffix?.length ?? 0);
  return source.messages.reduce((length, { content }) => length + content.length, 0);
}

function countCharacters(source: InputSource): number {
  const inputs = source.type === "inputs" ? source.inputs : [source.query, ...source.documents];
  return inputs.reduce((length, input) => length + input.length, 0);
}
