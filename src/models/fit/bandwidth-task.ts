/** What the threads of bandwidth.ts receive. They report `"ready"`, and at the end the bytes that they read. */
export interface BandwidthTask {
  /** One 32-bit integer, a phase. */
  readonly phase: SharedArrayBuffer;
  /** A multiple of 1 MiB, larger than the caches of the processor. */
  readonly bytesPerBuffer: number;
}

export const phases = { wait: 0, read: 1, stop: 2 } as const;
