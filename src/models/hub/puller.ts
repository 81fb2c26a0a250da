/** Pulls models: finds the files of what was named, downloads them, and records where they came from. */
import { mkdir, rm, stat, statfs as statfsOf } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { HearthError } from "../../core/errors.js";
import type { ModelKind } from "../../core/model.js";
import { inspectDiffusers } from "../diffusers.js";
import { preflightGguf } from "../gguf.js";
import { readModelKind } from "../gguf/pooling.js";
import { readProjector } from "../gguf/projector.js";
import { quoted } from "../gguf/refusal.js";
import { idFromName } from "../manifest.js";
import { readModelStem } from "../parts.js";
import {
  addToSourceRecord,
  nextSourceRecordFile,
  findFileOrigin,
  readSourceRecord,
  sourceRecordFile,
} from "../source-record.js";
import { inspectVision } from "../vision/folder.js";
import {
  downloadFile,
  type DownloadDeps,
  type DownloadedFile,
  type DownloadPhase,
} from "./transfer/download.js";
import { diskFull, isDiskFull, unusableSource } from "./errors.js";
import { takeLock } from "./transfer/lock.js";
import { bytesSoFar } from "./transfer/partial-file.js";
import { planPull, findReference, type Plan, type PlannedFile } from "./plan.js";
import { createReporter, type PullProgress } from "./progress.js";
import type { HubSettings } from "./settings.js";
import { createSharedWork, type SharedWork } from "./shared-work.js";
import { openTransport, type NetworkDeps, type Transport } from "./transfer/transport.js";

export interface PullerDeps extends Omit<DownloadDeps, "transport"> {
  readonly settings: HubSettings;
  /** Absolute path. */
  readonly models: string;
  /** Whether a URL may lead to an address that is not public: only where the operator names it. */
  readonly mayUrlBeNear: boolean;
  /** The `model_type` values of supported vision models. */
  readonly visionFamilies: readonly string[];
  readonly network?: NetworkDeps;
  /** Returns the space of the disk of a folder. */
  readonly statfs?: (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;
}

interface PullOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PullProgress) => void;
}

/** What the registry says of a downloaded model. */
interface DownloadedModel {
  /** The model's name for requests; the name of a projector, which has none. */
  readonly id: string;
  readonly kind: ModelKind | "projector";
  /** A public clause that says why the engine cannot load the model, though it was downloaded as it is; null: it can. */
  readonly problem: string | null;
}

export interface PullResult extends DownloadedModel {
  /** Paths relative to the folder of models, with the SHA-256 of each. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  readonly bytes: number;
  readonly license: string | null;
}

export interface Puller {
  /** @throws HearthError for what names no model, without asking the hub. */
  check(what: string): void;
  /**
   * Downloads a model; what an earlier pull has left is continued, and files that are there are not downloaded again.
   * @param what `name:tag`, `org/repo:quant`, `org/repo/file.gguf` or a URL.
   * @throws HearthError; the reason of the signal.
   */
  pull(what: string, options: PullOptions): Promise<PullResult>;
}

interface FileEvent {
  readonly phase: DownloadPhase;
  readonly bytesDone: number;
}

type Shared = SharedWork<FileEvent, DownloadedFile>;

/** Creates the puller. Pulls of one puller that need the same file share its download. */
export function createPuller(deps: PullerDeps): Puller {
  const shared: Shared = createSharedWork();
  return {
    check: (what) => void findReference(what, deps.settings.endpoint),
    async pull(what, { signal, onProgress }) {
      signal.throwIfAborted();
      const report = createReporter(deps.clock, onProgress);
      const nothing = { file: "", bytesDone: 0, bytesTotal: 0, filesDone: 0, filesTotal: 0 };
      try {
        const named = findReference(what, deps.settings.endpoint);
        report({ phase: "resolving", ...nothing });
        const start = named.reference.type === "url" ? named.reference.url : null;
        const plan = await withTransport(deps, start, (transport) =>
          planPull({ clock: deps.clock, settings: deps.settings, transport }, deps.models, named, signal),
        );
        await requireSpace(deps, plan);
        return await pullFiles(deps, shared, plan, report, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        throw publicError(thrown, deps.models);
      }
    },
  };
}

async function pullFiles(
  deps: PullerDeps,
  shared: Shared,
  plan: Plan,
  report: ReturnType<typeof createReporter>,
  signal: AbortSignal,
): Promise<PullResult> {
  const bytesTotal = plan.files.reduce((sum, { source }) => sum + source.bytes, 0);
  const filesTotal = plan.files.length;
  const files: PullResult["files"][number][] = [];
  let bytesBefore = 0;
  for (const file of plan.files) {
    const target = join(plan.folder, file.to);
    const path = relative(deps.models, target).split(sep).join("/");
    const filesDone = files.length;
    const before = bytesBefore;
    const listen = ({ phase, bytesDone }: FileEvent): void =>
      report({ phase, file: path, bytesDone: before + bytesDone, bytesTotal, filesDone, filesTotal });
    const done = await shared.run(target, signal, listen, (until, emit) =>
      withTransport(deps, plan.isHub ? null : file.source.url, (transport) =>
        downloadFile({ ...deps, transport }, toDownload(deps, plan, file, target, until, emit)),
      ),
    );
    files.push({ path, bytes: done.bytes, sha256: done.sha256 });
    bytesBefore += done.bytes;
  }
  report({
    phase: "done",
    file: files.at(-1)?.path ?? "",
    bytesDone: bytesBefore,
    bytesTotal,
    filesDone: filesTotal,
    filesTotal,
  });
  const { license } = plan.origin;
  return { ...(await describe(deps, plan)), files, bytes: bytesBefore, license };
}

function toDownload(
  deps: PullerDeps,
  plan: Plan,
  { source, to }: PlannedFile,
  target: string,
  signal: AbortSignal,
  emit: (event: FileEvent) => void,
) {
  return {
    source,
    target,
    signal,
    onProgress: (phase: DownloadPhase, bytesDone: number) => emit({ phase, bytesDone }),
    recorded: () =>
      withRecordLock(deps, plan.folder, signal, async () => {
        const record = await readSourceRecord(plan.folder);
        const origin = record === null ? null : findFileOrigin(record, to);
        const file = record?.files.find(({ path }) => path === to);
        if (file === undefined || origin?.source !== plan.origin.source) return null;
        // Without a hash from the hub, another commit may have another file of the same size.
        const isKnown = source.sha256 !== null || origin.revision === plan.origin.revision;
        return isKnown ? file : { ...file, sha256: null };
      }),
    record: async ({ bytes, sha256 }: DownloadedFile) => {
      const pulledAt = new Date(deps.clock.now()).toISOString();
      const added = { ...plan.origin, files: [{ path: to, bytes, sha256 }], pulledAt };
      await withRecordLock(deps, plan.folder, signal, () => addToSourceRecord(plan.folder, added));
    },
  };
}

/** Runs the work while no other pull uses the record of the folder. What a crash has left of it is removed. */
async function withRecordLock<T>(
  deps: PullerDeps,
  folder: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await takeLock(join(folder, `${sourceRecordFile}.lock`), deps, signal);
  try {
    return await work();
  } finally {
    await rm(join(folder, nextSourceRecordFile), { force: true });
    await lock.release();
  }
}

/** @param url null: the hub. */
async function withTransport<T>(
  { settings, mayUrlBeNear, network = {} }: PullerDeps,
  url: URL | null,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const transport =
    url === null
      ? await openTransport(settings.endpoint, true, settings, network)
      : await openTransport(url, mayUrlBeNear, { ...settings, token: null }, network);
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

/** @throws HearthError if the disk has too little space for what is missing. */
async function requireSpace({ models, statfs = statfsOf }: PullerDeps, plan: Plan): Promise<void> {
  let needed = 0;
  for (const { source, to } of plan.files) {
    const target = join(plan.folder, to);
    const isThere = (await stat(target).catch(() => null))?.size === source.bytes;
    if (!isThere) needed += Math.max(0, source.bytes - (await bytesSoFar(target)));
  }
  if (needed === 0) return;
  await mkdir(models, { recursive: true });
  const { bavail, bsize } = await statfs(models);
  const free = bavail * bsize;
  if (needed > free) throw diskFull(models, { needed, free });
}

/** Returns what the registry will say of the model. */
async function describe(
  { visionFamilies }: PullerDeps,
  { kind, folder, files }: Plan,
): Promise<DownloadedModel> {
  if (kind !== "gguf") {
    const { problem } =
      kind === "image"
        ? await inspectDiffusers(folder, null)
        : (await inspectVision(folder, visionFamilies, null)).weights;
    return { id: idFromName(basename(folder)), kind, problem };
  }
  const first = files.at(-1)?.to ?? "";
  const id = idFromName(readModelStem(first));
  if ((await readProjector(join(folder, first))) !== null) return { id, kind: "projector", problem: null };
  const checked = await preflightGguf(join(folder, first));
  if (!checked.ok) return { id, kind: "chat", problem: `${quoted(first)}: ${checked.reason}` };
  return { id, kind: readModelKind(checked.header.metadata), problem: null };
}

function publicError(thrown: unknown, models: string): unknown {
  if (thrown instanceof HearthError) return thrown;
  if (isDiskFull(thrown)) return diskFull(models, null);
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  return typeof code === "string" ? unusableSource(models, `it cannot be written (${code}).`) : thrown;
}
