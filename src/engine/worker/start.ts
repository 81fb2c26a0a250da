/** Starts the worker of a WorkerClient: a thread of this process, or a process, whose crash ends nothing else. */
import { fork } from "node:child_process";
import { getPriority, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.js";
import type { WorkerClientOptions } from "./client-options.js";
import type { FromWorker, ToWorker } from "./protocol.js";

/** Added to the nice value: on a busy core such a process gets about a tenth of the time of the others, on a free one all of it. */
const niceIncrement = 10;
const niceMax = 19;

interface StartOptions {
  readonly workerUrl: URL;
  /** Threads only. */
  readonly workerData?: unknown;
  readonly memoryMbMax?: number;
}

interface WorkerEvents {
  readonly onMessage: (message: FromWorker) => void;
  readonly onError: (error: Error) => void;
  /** @param reason the exit code, or the signal that ended a process. */
  readonly onExit: (reason: string) => void;
}

export interface StartedWorker {
  post(message: ToWorker): void;
  /** Keeps the process of the client alive while the worker runs, or no longer does. */
  ref(): void;
  unref(): void;
  /** Gives a process a lower priority, for good; does nothing to a thread. */
  lowerPriority(): void;
  /** Resolves when the worker has ended. */
  terminate(): Promise<unknown>;
}

/** Time after the loss of a worker in which no other is started. @param ms its length; undefined = none */
export class RestartPause {
  #isOver = true;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number | undefined,
  ) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param onOver called when the pause is over; never when there is none. */
  begin(onOver: () => void): void {
    if (this.ms === undefined) return;
    this.#isOver = false;
    this.clock.after(this.ms, () => {
      this.#isOver = true;
      onOver();
    });
  }
}

/** Time for a worker that is ended to exit. */
const exitMsMax = 5_000;

/** Ends a worker. @returns false when it has exited, true where it hangs in native code */
export function hangsAtEnd<Request>(
  worker: StartedWorker,
  { clock, name, log, onHang }: WorkerClientOptions<Request>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(exitMsMax, () => {
      log("error", `the ${name} worker hangs in native code and does not end`);
      onHang?.();
      resolve(true);
    });
    void worker.terminate().then(() => {
      stopTimer();
      resolve(false);
    });
  });
}

export function startThread(options: StartOptions, events: WorkerEvents): StartedWorker {
  const { workerUrl, workerData, memoryMbMax } = options;
  const worker = new Worker(workerUrl, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
  });
  worker.on("message", events.onMessage);
  worker.on("error", events.onError);
  worker.on("exit", (code) => events.onExit(`code ${code}`));
  return {
    post: (message) => worker.postMessage(message),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    lowerPriority: () => undefined,
    terminate: () => worker.terminate(),
  };
}

/** Calls to a process cannot be aborted, since the two share no memory. The process gets no environment variables. */
export function startProcess(options: StartOptions, events: WorkerEvents): StartedWorker {
  const { workerUrl, memoryMbMax } = options;
  const child = fork(workerUrl, {
    execArgv: memoryMbMax === undefined ? [] : [`--max-old-space-size=${memoryMbMax}`],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const exited = new Promise<void>((resolve) => {
    const onExit = (reason: string): void => {
      events.onExit(reason);
      resolve();
    };
    child.once("exit", (code, signal) =>
      onExit(signal === null ? `code ${String(code)}` : `signal ${signal}`),
    );
    // Also emitted when a message cannot be sent; in that case the exit event follows.
    child.on("error", (error) => {
      events.onError(error);
      if (child.pid === undefined) onExit("no process");
    });
  });
  child.on("message", (message) => events.onMessage(message as FromWorker));
  return {
    post: (message) => void child.send(message, () => undefined),
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
    lowerPriority() {
      try {
        if (child.pid !== undefined) setPriority(child.pid, Math.min(niceMax, getPriority() + niceIncrement));
      } catch {
        // A sandbox may forbid it, and the process may have ended.
      }
    },
    terminate() {
      // Otherwise a program without other work exits before.
      child.ref();
      child.kill("SIGKILL");
      return exited;
    },
  };
}
