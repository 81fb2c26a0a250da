/**
 * `hearth start` runs two processes: the server, and a small supervisor that restarts it after a crash in native code. This
 * file implements both ends of the channel between them. It imports only Node's own modules and the restart policy, because
 * the supervisor stays in memory for as long as the server runs.
 *
 * The supervisor is serving (a server process exists), waiting (for the next start) or done. When the channel closes because
 * the supervisor has ended, the server ends at once, so that no orphan process keeps the port and the data folder.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  initialState,
  healthyMs,
  onServerExit,
  onHealthy,
  onListening,
  onStopRequest,
  type ServerExit,
  type SupervisorState,
} from "./restart-policy.js";

/** First argument of a server process, with `=PORT` appended if an earlier server process listened on that port. */
const supervisedFlag = "--supervised";
const stopMessage = "stop";
/** Time for a server to stop that has not reported its own, because it does not listen yet. */
const stopMsMax = 30_000;
/** How often it is looked whether npm has ended. */
const parentLookMs = 250;

/** Returns whether the command line is `hearth start`. */
export function isStart(args: readonly string[]): boolean {
  const command = args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--config");
  return command === "start";
}

/**
 * Keeps a server running until it exits normally, is stopped, or has crashed too often.
 * @param program path of main.js.
 * @param args arguments that are passed to the server unchanged.
 * @param isOfNpm whether npm started this process: the server then stops when npm is stopped.
 * @returns the exit code.
 */
export function supervise(program: string, args: readonly string[], isOfNpm = false): Promise<number> {
  return new Promise((resolve) => {
    const supervisor = new Supervisor([...process.execArgv, program], args, resolve);
    // A closed stderr must not end the supervisor.
    process.stderr.on("error", () => undefined);
    process.on("SIGINT", () => supervisor.stop());
    process.on("SIGTERM", () => supervisor.stop());
    if (isOfNpm) onParentEnd(() => supervisor.stopOrphan());
    supervisor.start();
  });
}

/**
 * npm starts a shell which starts this process, and a signal to npm ends the shell alone: this process then has a new parent. On
 * Windows the parent of a process never changes.
 */
function onParentEnd(action: () => void): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    action();
  }, parentLookMs);
  timer.unref();
}

class Supervisor {
  private state: SupervisorState = initialState;
  private server: ChildProcess | null = null;
  private port: number | null = null;
  /** The next start while waiting; the end of `healthyMs` while serving. */
  private timer: NodeJS.Timeout | undefined;
  private stopMsMax = stopMsMax;

  constructor(
    private readonly program: readonly string[],
    private readonly args: readonly string[],
    private readonly done: (code: number) => void,
  ) {}

  start(): void {
    const flag = this.port === null ? supervisedFlag : `${supervisedFlag}=${this.port}`;
    try {
      const server = spawn(process.execPath, [...this.program, flag, ...this.args], {
        stdio: ["inherit", "inherit", "inherit", "ipc"],
      });
      this.server = server;
      server.on("message", (message) => this.onMessage(message));
      server.once("exit", (code, signal) =>
        this.onExit(signal === null ? { kind: "exit", code: code ?? 1 } : { kind: "signal", signal }),
      );
      // Also emitted when a message cannot be sent; in that case the exit event follows.
      server.on("error", (error) => {
        if (server.pid === undefined) this.onExit({ kind: "not started", reason: error.message });
      });
    } catch (thrown) {
      this.onExit({ kind: "not started", reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  /** The first call stops the server gracefully, and kills it if that takes too long; the second one kills it at once. */
  stop(): void {
    this.state = onStopRequest(this.state);
    if (this.server === null) {
      clearTimeout(this.timer);
      this.done(0);
    } else if (this.state.stopRequests > 1) this.server.kill("SIGKILL");
    else {
      this.server.send(stopMessage, () => undefined);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.killLate(), this.stopMsMax);
    }
  }

  /** What started this process has ended. A terminal that stops both has requested the stop already. */
  stopOrphan(): void {
    if (this.state.stopRequests === 0) this.stop();
  }

  private killLate(): void {
    process.stderr.write(`hearth: the server did not stop within ${this.stopMsMax / 1000} s and is killed\n`);
    this.stop();
  }

  private onMessage(message: unknown): void {
    if (typeof message !== "object" || message === null || !("port" in message)) return;
    this.port = Number(message.port);
    if ("stopMsMax" in message) this.stopMsMax = Number(message.stopMsMax);
    if (this.state.stopRequests > 0) return;
    this.state = onListening(this.state);
    this.timer = setTimeout(() => (this.state = onHealthy(this.state)), healthyMs);
    this.timer.unref();
  }

  private onExit(end: ServerExit): void {
    this.server = null;
    clearTimeout(this.timer);
    const [state, decision] = onServerExit(this.state, end);
    this.state = state;
    if (decision.notice !== null) process.stderr.write(`hearth: ${decision.notice}\n`);
    if (decision.action === "exit") this.done(decision.code);
    else this.timer = setTimeout(() => this.start(), decision.afterMs);
  }
}

/** The server's end of the channel to its supervisor. */
export interface SupervisorChannel {
  /** Port on which an earlier server of this supervisor listened; null for the first server. */
  readonly port: number | null;
  /** Id of the supervisor's process. */
  readonly pid: number;
  /** Reports to the supervisor that this server listens, and how long it may take to stop. */
  listening(port: number, stopMsMax: number): void;
  /** Calls `action` when the supervisor requests a stop, also if it did so before this call. */
  onStop(action: () => void): void;
}

/**
 * Connects to the supervisor that started this process. From then on, the process ends as soon as the supervisor has ended.
 * @param args arguments of the program.
 * @returns null if there is no supervisor.
 */
export function connectSupervisor(args: readonly string[]): SupervisorChannel | null {
  const [name, port] = (args[0] ?? "").split("=");
  if (name !== supervisedFlag || process.send === undefined) return null;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // The channel alone must not keep a closed server alive.
  process.channel?.unref();
  return {
    port: port === undefined ? null : Number(port),
    pid: process.ppid,
    listening: (listeningPort, stopMsMax) =>
      void process.send?.({ port: listeningPort, stopMsMax }, undefined, undefined, () => undefined),
    onStop: (action) =>
      void process.on("message", (message) => {
        if (message === stopMessage) action();
      }),
  };
}
