/** What is wrong with the server itself: models that cannot be loaded, failing requests, a full disk. */
import type { Model } from "../../../core/model.js";
import type { Condition } from "../alert.js";
import type { ConditionSource } from "../conditions.js";

/** Requests and runs of a time, and how many of them failed by no fault of their client. */
interface FaultCounts {
  readonly requests: number;
  readonly failedRequests: number;
  readonly runs: number;
  readonly failedRuns: number;
}

interface ServerSourceDeps {
  readonly models: { list(): readonly Model[] };
  /** Models whose last load failed, with the reason. */
  readonly modelsNotLoaded: () => ReadonlyMap<string, string>;
  readonly recentFaults: (minutes: number) => FaultCounts;
  readonly disk: () => Promise<DiskSpace>;
  readonly limits: ServerAlertLimits;
}

export interface DiskSpace {
  readonly folder: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

interface ServerAlertLimits {
  /** The share of failed requests, or of failed runs, in percent; 0: none. */
  readonly errorPercent: number;
  readonly errorMinutes: number;
  /** Free space of the disk of the data folder, in percent; 0: none. */
  readonly diskFreePercent: number;
}

/** With fewer requests, a share says little. */
const sampleMin = 20;

/** Creates the sources. */
export function serverSources(deps: ServerSourceDeps): readonly ConditionSource[] {
  return [
    () => Promise.resolve(modelConditions(deps)),
    () => Promise.resolve(errorConditions(deps)),
    () => diskConditions(deps),
  ];
}

function modelConditions({ models, modelsNotLoaded }: ServerSourceDeps): readonly Condition[] {
  const failed = modelsNotLoaded();
  return models.list().flatMap(({ manifest: { id }, unusable }) => {
    const reason = unusable ?? failed.get(id);
    if (reason === undefined) return [];
    const message = `The model '${id}' cannot be loaded.`;
    return [
      { kind: "model_unavailable", subject: id, teamId: null, message, details: { model: id, reason } },
    ];
  });
}

function errorConditions({ recentFaults, limits }: ServerSourceDeps): readonly Condition[] {
  const { errorPercent, errorMinutes: minutes } = limits;
  if (errorPercent === 0) return [];
  const counts = recentFaults(minutes);
  const { requests, failedRequests, runs, failedRuns } = counts;
  const isHigh = (failed: number, all: number): boolean =>
    all >= sampleMin && failed * 100 >= errorPercent * all;
  if (!isHigh(failedRequests, requests) && !isHigh(failedRuns, runs)) return [];
  const message =
    `Of the last ${minutes} minutes, ${failedRequests} of ${requests} requests were answered with a status of 500 or higher, and ` +
    `${failedRuns} of ${runs} runs failed.`;
  return [{ kind: "error_rate", subject: "", teamId: null, message, details: { minutes, ...counts } }];
}

async function diskConditions({ disk, limits }: ServerSourceDeps): Promise<readonly Condition[]> {
  if (limits.diskFreePercent === 0) return [];
  const { folder, freeBytes, totalBytes } = await disk();
  if (freeBytes * 100 >= limits.diskFreePercent * totalBytes) return [];
  const percent = Math.floor((freeBytes * 100) / totalBytes);
  const message = `The disk of the data folder has ${percent} percent of its space free.`;
  return [
    { kind: "disk_low", subject: "", teamId: null, message, details: { folder, freeBytes, totalBytes } },
  ];
}
