/** A puller into an empty folder from a test hub, with a clock that runs twenty times as fast as the system's. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../src/core/clock.js";
import { HearthError } from "../../../src/core/errors.js";
import {
  createPuller,
  type Puller,
  type PullerDeps,
  type PullResult,
} from "../../../src/models/hub/puller.js";
import type { PullProgress } from "../../../src/models/hub/progress.js";
import { readHubSettings } from "../../../src/models/hub/settings.js";
import { systemClock, systemRandom } from "../../../src/system/clock.js";
import { modelBytes } from "../../kit/models/gguf-writer.js";
import { temporaryFolder } from "../../kit/folder.js";

const speed = 20;

interface FastClock extends Clock {
  /** Every delay that was waited for, in milliseconds. */
  readonly delays: readonly number[];
}

function createFastClock(): FastClock {
  const elapsed = (): number => performance.now() * speed;
  const delays: number[] = [];
  return {
    delays,
    // Times of files are the system's.
    now: () => Date.now(),
    monotonic: elapsed,
    after(delayMs, action) {
      delays.push(delayMs);
      const timer = setTimeout(action, delayMs / speed);
      return () => clearTimeout(timer);
    },
  };
}

export interface Pulling {
  readonly puller: Puller;
  readonly models: string;
  readonly clock: FastClock;
  readonly progress: PullProgress[];
  pull(what: string, signal?: AbortSignal): Promise<PullResult>;
  /** Pulls and returns the error. */
  refusal(what: string): Promise<HearthError>;
  /** Returns all files below the folder of models, hidden ones too, relative to it. */
  files(): readonly string[];
  read(path: string): Buffer;
}

/** What a test adds that counts bytes: with the fast clock, a pause of a busy machine is a server that has stalled, which is asked again. */
export const atSystemSpeed = { clock: systemClock };

/** @param environment HF_ENDPOINT and others. */
export function createPulling(environment: NodeJS.ProcessEnv, overrides: Partial<PullerDeps> = {}): Pulling {
  const models = overrides.models ?? temporaryFolder();
  const clock = createFastClock();
  const puller = createPuller({
    clock,
    newId: () => systemRandom.id(),
    settings: readHubSettings(environment, models),
    models,
    mayUrlBeNear: true,
    visionFamilies: ["known"],
    ...overrides,
  });
  const progress: PullProgress[] = [];
  const pull = (what: string, signal = new AbortController().signal): Promise<PullResult> =>
    puller.pull(what, { signal, onProgress: (event) => progress.push(event) });
  return {
    puller,
    models,
    clock,
    progress,
    pull,
    refusal: (what) =>
      pull(what).then(
        () => Promise.reject(new Error(`${what} was pulled`)),
        (thrown: unknown) => (thrown instanceof HearthError ? thrown : Promise.reject(thrown as Error)),
      ),
    files: () =>
      readdirSync(models, { recursive: true, encoding: "utf8" })
        .filter((path) => statSync(join(models, path)).isFile())
        .sort(),
    read: (path) => readFileSync(join(models, path)),
  };
}

/** Returns a model that the engine can load, followed by bytes that differ everywhere. */
export function ggufOf(bytes: number, seed = 1): Buffer {
  const model = modelBytes();
  const whole = Buffer.alloc(Math.max(bytes, model.length));
  let state = seed;
  for (let at = 0; at + 4 <= whole.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    whole.writeUInt32LE(state, at);
  }
  model.copy(whole);
  return whole;
}
