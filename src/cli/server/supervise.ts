/**
 * `hearth start` is two processes: the server, and a small supervisor that starts it again when native code ends it. This file
 * owns both sides of the channel between them. It does not know what a server is, and it imports nothing but Node's own
 * modules and the policy, because it stays in memory for as long as the server runs.
 *
 * The supervisor is `serving` (a server process exists), `waiting` (for the next start) or done. The channel is the bond: a
 * server whose supervisor is gone ends at once, so that no orphan keeps the port and the data folder.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  atStart,
  healthyMs,
  onEnd,
  onHealthy,
  onListening,
  onStop,
  type ServerEnd,
  type Supervision,
} from "./restart-policy.js";

/** First argument of a server process; `=PORT` follows when an earlier one listened there. */
const mark = "--supervised";
const stopMessage = "stop";

/** Whether these arguments of the program start a server. */
export function isStart(args: readonly string[]): boolean {
  const command = args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--config");
  return command === "start";
}

/**
 * Keeps a server running until it ends by its own decision, is told to stop, or has died too often.
 * @param program path of main.js.
 * @param args its arguments, given to the server unchanged.
 * @returns the exit code.
 */
export function supervise(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const supervisor = new Supervisor([...process.execArgv, program], args, resolve);
    // A notice that nobody can read is no reason to end.
    process.stderr.on("error", () => undefined);
    process.on("SIGINT", () => supervisor.stop());
    process.on("SIGTERM", () => supervisor.stop());
    supervisor.start();
  });
}

class Supervisor {
  private supervision: Supervision = atStart;
  private server: ChildProcess | null = null;
  private port: number | null = null;
  /** The next start while waiting, the mark of healthy service while serving. */
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly program: readonly string[],
    private readonly args: readonly string[],
    private readonly done: (code: number) => void,
  ) {}

  start(): void {
    const marked = this.port === null ? mark : `${mark}=${this.port}`;
    try {
      const server = spawn(process.execPath, [...this.program, marked, ...this.args], {
        stdio: ["inherit", "inherit", "inherit", "ipc"],
      });
      this.server = server;
      server.on("message", (message) => this.listening(message));
      server.once("exit", (code, signal) =>
        this.ended(signal === null ? { kind: "exit", code: code ?? 1 } : { kind: "signal", signal }),
      );
      // Also told when a message cannot be sent: then the end of the process follows.
      server.on("error", (error) => {
        if (server.pid === undefined) this.ended({ kind: "not started", reason: error.message });
      });
    } catch (thrown) {
      this.ended({ kind: "not started", reason: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }

  /** The first time the server ends in order; the second time at once. */
  stop(): void {
    this.supervision = onStop(this.supervision);
    if (this.server === null) {
      clearTimeout(this.timer);
      this.done(0);
    } else if (this.supervision.stops > 1) this.server.kill("SIGKILL");
    else this.server.send(stopMessage, () => undefined);
  }

  private listening(message: unknown): void {
    if (typeof message !== "object" || message === null || !("port" in message)) return;
    this.port = Number(message.port);
    this.supervision = onListening(this.supervision);
    this.timer = setTimeout(() => (this.supervision = onHealthy(this.supervision)), healthyMs);
    this.timer.unref();
  }

  private ended(end: ServerEnd): void {
    this.server = null;
    clearTimeout(this.timer);
    const [supervision, decision] = onEnd(this.supervision, end);
    this.supervision = supervision;
    if (decision.notice !== null) process.stderr.write(`hearth: ${decision.notice}\n`);
    if (decision.action === "exit") this.done(decision.code);
    else this.timer = setTimeout(() => this.start(), decision.afterMs);
  }
}

/** The supervisor as its server sees it. */
export interface ServerBond {
  /** Where an earlier server of this supervisor listened; null for the first one. */
  readonly port: number | null;
  /** Tells the supervisor that this server answers. */
  listening(port: number): void;
  /** Calls `action` when the supervisor says to stop, also when it said so before. */
  onStop(action: () => void): void;
}

/**
 * Takes the bond up, when this process was started by a supervisor; from then on it ends as soon as the supervisor is gone.
 * @param args arguments of the program.
 * @returns null when there is no supervisor.
 */
export function bondFrom(args: readonly string[]): ServerBond | null {
  const [name, port] = (args[0] ?? "").split("=");
  if (name !== mark || process.send === undefined) return null;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  // The channel alone keeps no server alive that has closed everything else.
  process.channel?.unref();
  return {
    port: port === undefined ? null : Number(port),
    listening: (taken) => void process.send?.({ port: taken }, undefined, undefined, () => undefined),
    onStop: (action) =>
      void process.on("message", (message) => {
        if (message === stopMessage) action();
      }),
  };
}
