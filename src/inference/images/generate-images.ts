/**
 * A run that draws: from an accepted request to a settled row. Like any run it owns itself: it holds its slot, is charged for
 * what it drew and settles whether or not anybody waits for it; whoever waits ends it by the signal. It does not own how an
 * image is drawn (engine/images), nor the files of those that are kept (store/).
 *
 * Modes of a run: loading -> queued -> drawing -> settled; any of the first three can fail or be aborted.
 */
import type { Clock } from "../../core/clock.js";
import type {
  DrawingEngine,
  DrawnImage,
  DrawRequest,
  ImageSize,
  LoadedPainter,
} from "../../core/image-generation.js";
import { asHearthError, HearthError } from "../../core/errors.js";
import type { ImageRoom, ImageStore } from "./stored-image.js";
import type { Model } from "../../core/model.js";
import { costOf, type Ticks } from "../../core/money.js";
import type { Random } from "../../core/random.js";
import type { Slots } from "../../core/slots.js";
import { noUsage, type Usage } from "../../core/usage.js";
import { tooManyInHand } from "../prompt/count.js";
import { imagesReservationOf, refuseWithoutCredit } from "../run/reservation.js";
import { timedLoads } from "../run/timed-loads.js";
import { record, settle, type Settled } from "../run/billing.js";
import { createSettling } from "../run/settle-retries.js";
import type { Booked, Books, GenerateDeps, Progress, RunContext } from "../run/run-deps.js";
import { usableModel } from "../run/usable-model.js";
import { hold } from "../run/abortable.js";

export interface DrawDeps extends Pick<
  GenerateDeps,
  "models" | "runs" | "ledger" | "metrics" | "onSettleFailure"
> {
  readonly painter: DrawingEngine;
  readonly images: ImageStore;
  readonly slots: Slots;
  readonly clock: Clock;
  readonly random: Random;
  /** Runs that may exist at a time, whatever they wait for. */
  readonly runsActiveMax: number;
}

/** One image of an answer. */
export interface Drawing extends DrawnImage {
  readonly seed: number;
  /** By which it can be fetched for an hour; null where it is not kept. */
  readonly name: string | null;
}

export interface Drawn {
  readonly model: Model;
  readonly drawings: readonly Drawing[];
  readonly costTicks: Ticks;
}

export interface Drawings {
  /**
   * Draws, and is charged for it.
   * @throws HearthError `model_not_found`, `model_unavailable`, `overloaded`, `no_credits`, `invalid_value`.
   * @throws the signal's reason when it aborts; images that are finished by then are charged.
   */
  draw(request: DrawRequest, context: RunContext, signal: AbortSignal): Promise<Drawn>;
  /** Aborts every run; resolves when the end of each is written, or given up because it cannot be. */
  close(): Promise<void>;
}

/** How long the URL of an image leads to it. */
const imageKeptMs = 60 * 60 * 1000;
/** What an image counts to the scheduler, which weighs teams by tokens. */
const tokensPerImage = 1000;
/** No format takes more for a pixel, but for its frame. */
const bytesPerPixelMax = 4;
const frameBytesMax = 64 * 1024;

/** Builds it over its ports. */
export function createDrawings(deps: DrawDeps): Drawings {
  const settling = createSettling(deps.clock);
  const street: Street = { ...deps, settling, load: timedLoads({ ...deps, engine: deps.painter }) };
  /** Runs whose end is not written yet, and how each is ended. */
  const active = new Map<Promise<unknown>, AbortController>();
  return {
    async draw(request, context, signal) {
      const model = usableModel(deps.models, request.model, "image");
      if (active.size >= deps.runsActiveMax) throw tooManyInHand();
      const leaving = new AbortController();
      const onAbort = (): void => leaving.abort(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      const run = { id: deps.random.id(), model, askedModel: request.model, context };
      const execution = execute(street, { run, request, signal: leaving.signal });
      const written = execution.then(({ unwritten }) => unwritten);
      active.set(written, leaving);
      void written.then(() => active.delete(written));
      const { drawn } = await execution;
      signal.removeEventListener("abort", onAbort);
      return drawn();
    },
    async close() {
      const runs = [...active];
      for (const [, leaving] of runs) leaving.abort(cutShort());
      await settling.close();
      await Promise.all(runs.map(([written]) => written));
    },
  };
}

interface Street extends DrawDeps, Books {
  readonly load: (model: Model) => Promise<LoadedPainter>;
}

interface Task {
  readonly run: Booked;
  readonly request: DrawRequest;
  readonly signal: AbortSignal;
}

interface DrawProgress extends Pick<Progress, "recorded" | "failure"> {
  usage: Usage;
  room: ImageRoom | null;
  readonly drawings: Drawing[];
}

/** The whole life of a run. Never rejects. @returns what came of it, to be had once it is settled. */
async function execute(street: Street, task: Task): Promise<Settled & { readonly drawn: () => Drawn }> {
  const { run, request, signal } = task;
  const progress: DrawProgress = { usage: noUsage, recorded: null, failure: null, room: null, drawings: [] };
  try {
    await drive(street, task, progress);
  } catch (thrown) {
    if (!signal.aborted) progress.failure ??= asHearthError(thrown);
  }
  const { drawings } = progress;
  const isWhole = drawings.length === request.images && progress.failure === null;
  // Whoever gets an error has got none of its images.
  progress.usage = { ...noUsage, ...(progress.failure === null ? { images: drawings.length } : {}) };
  const state = progress.failure !== null ? "failed" : isWhole ? "completed" : "aborted";
  const kept = isWhole ? (progress.room?.insertions(street.clock.now() + imageKeptMs) ?? []) : [];
  const context = { ...run.context, keeper: { add: () => undefined, writes: () => kept } };
  const { unwritten } = await settle(street, { ...run, context }, progress, state);
  await progress.room?.close(isWhole && progress.failure === null);
  const { metrics } = street;
  metrics.runEnded({
    model: run.model.manifest.id,
    state,
    usage: progress.usage,
    ttftMs: null,
    decodeTps: null,
  });
  return { unwritten, drawn: () => drawnOf(task, progress, isWhole) };
}

function drawnOf({ run, signal }: Task, { failure, drawings, usage }: DrawProgress, isWhole: boolean): Drawn {
  if (failure !== null) throw failure;
  if (!isWhole) throw signal.reason;
  return { model: run.model, drawings, costTicks: costOf(usage, run.model.manifest.prices) };
}

/** Drives a run to its last image. @throws HearthError what kept it from there. */
async function drive(street: Street, { run, request, signal }: Task, progress: DrawProgress): Promise<void> {
  const { model, context } = run;
  await refuseWithoutCredit(street, run);
  const loaded = await hold(street.load(model), signal);
  try {
    const size = loaded.sizeFor(request.size);
    if (request.kept) progress.room = await street.images.room(run.id, bytesMaxOf(size) * request.images);
    const reservedTicks = await imagesReservationOf(street, run, request.images);
    const { team } = context.principal;
    const slot = await street.slots.acquire({
      ...{ model: model.manifest.id, slots: 1, teamId: team.id, teamWeight: team.weight, signal },
      ...{ workClass: context.workClass ?? "interactive", tokensExpected: request.images * tokensPerImage },
    });
    try {
      // Nothing is drawn that is not reserved.
      await record(street, run, progress, { promptTokens: 0, reservedTicks });
      await drawAll(street, { run, request, signal }, progress, size);
    } finally {
      slot.release(progress.drawings.length * tokensPerImage);
    }
  } finally {
    loaded.release();
  }
}

async function drawAll(
  { painter, random, metrics }: Street,
  { run, request, signal }: Task,
  progress: DrawProgress,
  size: ImageSize,
): Promise<void> {
  const { model } = run;
  const { prompt, format, quality, images } = request;
  const first = request.seed ?? new DataView(random.bytes(4).slice().buffer).getUint32(0);
  for (let index = 0; index < images; index += 1) {
    const seed = (first + index) >>> 0;
    const onStep = (): void => metrics.drawingStep(model.manifest.id);
    const image = await painter.draw(model, { prompt, seed, format, quality, ...size }, signal, onStep);
    const name = (await progress.room?.add(image.bytes, format)) ?? null;
    progress.drawings.push({ ...image, seed, name });
  }
}

function cutShort(): HearthError {
  return new HearthError("overloaded", "The answer was cut short because the server is closing.", {
    retryAfterSeconds: 5,
  });
}

function bytesMaxOf({ width, height }: ImageSize): number {
  return width * height * bytesPerPixelMax + frameBytesMax;
}
