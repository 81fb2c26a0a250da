/**
 * Reads for reports in threads of their own: better-sqlite3 is synchronous, and a statement that reads many rows would keep the server from
 * answering anything else. What waits, and what is read at once, is bounded.
 */
import { Worker } from "node:worker_threads";
import { HearthError } from "../../../core/errors.js";
import { toUnavailable } from "../../dialect/database-error.js";
import type { ReportAnswer, ReportQuestion } from "./protocol.js";

/** Statements that are read at once. */
const threadsMax = 2;
/** Statements that wait for a thread. */
const waitingMax = 256;
/** The heap of a thread, which holds the rows of one statement. */
const heapMbMax = 512;

interface Waiting {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

export class ReportReader {
  readonly #file: string;
  readonly #workerUrl: URL;
  readonly #waiting: Waiting[] = [];
  readonly #idle: ReportThread[] = [];
  readonly #threads = new Set<ReportThread>();
  #isClosed = false;

  /** Returns a reader whose threads start with the statements that need them. @param workerUrl the compiled worker.ts */
  constructor(file: string, workerUrl: URL) {
    this.#file = file;
    this.#workerUrl = workerUrl;
  }

  /** @throws HearthError `overloaded` when too many statements wait, or the database cannot be used. */
  read(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#waiting.length >= waitingMax)
      return Promise.reject(
        new HearthError("overloaded", "Too many reports wait to be read. Please try again later.", {
          retryAfterSeconds: 1,
        }),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, parameters, resolve, reject });
      this.#assign();
    });
  }

  /** Ends the threads; what is being read fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    await Promise.all([...this.#threads].map((thread) => thread.end(closed())));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? this.#start();
      const next = thread === null ? undefined : this.#waiting.shift();
      if (thread === null || next === undefined) return;
      thread.read(next);
    }
  }

  #start(): ReportThread | null {
    if (this.#threads.size >= threadsMax) return null;
    const thread: ReportThread = new ReportThread(this.#file, this.#workerUrl, {
      onFree: () => {
        this.#idle.push(thread);
        this.#assign();
      },
      onEnd: () => {
        this.#threads.delete(thread);
        const index = this.#idle.indexOf(thread);
        if (index >= 0) this.#idle.splice(index, 1);
        if (!this.#isClosed) this.#assign();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

interface ThreadEvents {
  readonly onFree: () => void;
  readonly onEnd: () => void;
}

/** A thread that reads one statement at a time. */
class ReportThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  #reading: Waiting | null = null;
  #rows: unknown[] = [];

  constructor(file: string, workerUrl: URL, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(workerUrl, {
      workerData: { file },
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    });
    this.#worker.on("message", (answer: ReportAnswer) => this.#receive(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => {
      this.#fail(closed());
      events.onEnd();
    });
    // It does not keep a process alive that has nothing else to do.
    this.#worker.unref();
  }

  read(waiting: Waiting): void {
    this.#reading = waiting;
    this.#worker.ref();
    this.#ask({ text: waiting.text, parameters: waiting.parameters });
  }

  async end(reason: HearthError): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #ask(question: ReportQuestion): void {
    this.#worker.postMessage(question);
  }

  #receive(answer: ReportAnswer): void {
    if ("rows" in answer) {
      for (const row of answer.rows) this.#rows.push(row);
      if (answer.hasMore) return this.#ask(null);
    }
    const [reading, rows] = [this.#reading, this.#rows];
    [this.#reading, this.#rows] = [null, []];
    this.#worker.unref();
    if ("rows" in answer) reading?.resolve(rows);
    else reading?.reject(toError(answer.error));
    this.#events.onFree();
  }

  #fail(error: unknown): void {
    this.#reading?.reject(error);
    this.#reading = null;
  }
}

function toError({ message, code }: { readonly message: string; readonly code: string }): unknown {
  return toUnavailable(Object.assign(new Error(message), { code }));
}

function closed(): HearthError {
  return new HearthError("overloaded", "The thread that reads reports has ended. Please try again later.", {
    retryAfterSeconds: 1,
  });
}
