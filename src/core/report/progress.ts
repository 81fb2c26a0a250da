/** How far a long command is. */
export interface Progress {
  /** What is being done, such as `copying the database`. */
  readonly phase: string;
  readonly done: number;
  /** 0: not known yet. */
  readonly total: number;
  /** What is counted. */
  readonly unit: "bytes" | "checks" | "models" | "rows";
}

export type OnProgress = (progress: Progress) => void;

/** Returns what reports bytes that were processed, of a number that is known. */
export function reportBytes(phase: string, total: number, onProgress: OnProgress): (bytes: number) => void {
  let done = 0;
  return (bytes) => onProgress({ phase, done: (done += bytes), total, unit: "bytes" });
}
