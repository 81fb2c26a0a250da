/**
 * One history: a server, its clients and its disk from an empty database to the end of all work, with processes that are killed,
 * restarted and cut from power. After every step the guarantees of the server are checked. Equal seeds make equal histories.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcceptedBatches } from "../checks/batches.js";
import { Fairness } from "../checks/fairness.js";
import { AcceptedJobs } from "../checks/jobs.js";
import { holds, Violation } from "../checks/violation.js";
import { Chance } from "../figures/chance.js";
import { drawFault, planEvents } from "./events.js";
import { closeDead, closingTurnsMax, portTurns, settle, turn } from "./closing.js";
import { Clients } from "./clients.js";
import { SimulatedDisk } from "./disk.js";
import { SimulatedFiles } from "./files.js";
import type { Produced } from "./engine.js";
import { AdmittedRequests } from "./admitted.js";
import { SimulatedBooks } from "./books.js";
import { checkEnd, isIdle, type Ended } from "./end.js";
import { HistoryFailure, type HistoryOptions, type HistoryResult } from "./report.js";
import { startSimulated, type SimulatedServer } from "./server.js";
import { checkSlots } from "./slots.js";
import { SimulatedTime } from "./time.js";
import { Trace } from "./trace.js";
import { startWorkload } from "./workload.js";
import { fillWorld, fairnessTerms, settings, simulatedTeams } from "./world.js";

const hourMs = 3_600_000;
/** Longer than a batch may take. */
const dayMs = 25 * hourMs;
/** Within this time after the last request everything has ended. */
const drainMs = 3 * hourMs;
/** Simulates one history. @throws HistoryFailure when a guarantee does not hold. */
export async function simulateHistory(options: HistoryOptions): Promise<HistoryResult> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-simulation-"));
  const history = new History(options, folder);
  try {
    return await history.run();
  } catch (thrown) {
    throw new HistoryFailure(options.seed, thrown, history.trace.lastLines);
  } finally {
    await history.abandon();
    rmSync(folder, { recursive: true, force: true });
  }
}

class History {
  readonly trace: Trace;
  readonly #options: HistoryOptions;
  readonly #folder: string;
  readonly #chance: Chance;
  readonly #time = new SimulatedTime();
  readonly #disk: SimulatedDisk;
  readonly #files: SimulatedFiles;
  readonly #jobs = new AcceptedJobs(holds);
  readonly #batches = new AcceptedBatches(holds);
  readonly #admitted = new AdmittedRequests();
  readonly #fairness = new Fairness(simulatedTeams, fairnessTerms, holds);
  readonly #clients: Clients;
  readonly #produced = new Map<string, Produced>();
  #books: SimulatedBooks | null = null;
  #server: SimulatedServer | null = null;
  /** When no more work begins. */
  #endsAt = 0;
  #checkedWrites = 0;
  #steps = 0;
  #restarts = 0;
  #runs = 0;
  #isDraining = false;
  #wantsStart = false;
  #wantsRestart = false;
  #wantsCredit = false;

  constructor(options: HistoryOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.trace = new Trace(() => this.#time.elapsed, folder, options.onLine);
    this.#chance = new Chance(options.seed);
    this.#disk = new SimulatedDisk(folder, this.#chance.fork());
    this.#files = new SimulatedFiles(this.#chance.fork(), () => this.#disk.death);
    this.#clients = new Clients({
      time: this.#time,
      chance: this.#chance.fork(),
      trace: this.trace,
      jobs: this.#jobs,
      admitted: this.#admitted,
      server: () => this.#server,
    });
  }

  async run(): Promise<HistoryResult> {
    this.#endsAt = this.#options.hours * hourMs;
    const endsAt = (): number => this.#endsAt;
    this.#books = await SimulatedBooks.open(this.#disk, (database) => fillWorld(database, this.#time.now));
    await this.#buy();
    await this.#start();
    const chance = this.#chance.fork();
    const busy = (): void => this.#planFault(chance);
    const pace = { stepMs: 40 };
    const [time, clients, accepted] = [this.#time, this.#clients, this.#batches];
    const sleep = (): void => this.#sleep();
    startWorkload({ time, chance: this.#chance.fork(), clients, accepted, pace, busy, sleep }, endsAt);
    planEvents(this.#time, this.#chance.fork(), endsAt, {
      restart: () => (this.#wantsRestart = true),
      buy: () => (this.#wantsCredit = true),
    });
    while (this.#time.step(this.#endsAt)) await this.#afterStep();
    await this.#drain(this.#endsAt + drainMs);
    return {
      traceHash: this.trace.hash,
      steps: this.#steps,
      runs: this.#runs,
      restarts: this.#restarts,
      requests: this.#clients.tally,
      batches: this.#batches.tally,
      faults: this.#disk.injected,
      tokensApartMax: this.#fairness.worst,
    };
  }

  /** Ends what is left of a history, however it went. */
  async abandon(): Promise<void> {
    if (this.#server !== null) await closeDead(this.#server).catch(() => undefined);
    this.#server = null;
    await this.#books?.close();
  }

  /** Lets everything end without further faults, and checks that it does. */
  async #drain(until: number): Promise<void> {
    this.#isDraining = true;
    this.#disk.plan(null);
    while (!(await isIdle(this.#work(), this.#openBooks())) && this.#time.step(until))
      await this.#afterStep();
    const books = this.#openBooks();
    const server = await checkEnd(this.#work(), books);
    await this.#checkBooks();
    await books.checkAll();
    await this.#restart(server);
    this.#runs = await books.countRuns();
  }

  #work(): Ended {
    return { server: this.#server, clients: this.#clients, jobs: this.#jobs, batches: this.#batches };
  }

  #planFault(chance: Chance): void {
    if (this.#disk.hasPlan || this.#isDraining || !chance.happens(0.5)) return;
    const fault = drawFault(chance);
    this.#disk.plan(fault);
    this.trace.add(`plan ${fault.kind}`);
  }

  /** Lets the process do everything that it can do at this time, and checks it. */
  async #afterStep(): Promise<void> {
    this.#steps += 1;
    await this.#settle();
    this.#clients.check();
    if (this.#disk.death !== null) await this.#die();
    if (this.#wantsStart) {
      this.#wantsStart = false;
      await this.#start();
      await this.#settle();
      if (this.#disk.death !== null) await this.#die();
    }
    if (this.#wantsCredit) await this.#buy();
    const server = this.#server;
    if (this.#wantsRestart && server !== null) {
      this.#wantsRestart = false;
      await this.#restart(server);
    }
    this.#checkServer();
    if (this.#disk.writes !== this.#checkedWrites) await this.#checkBooks();
  }

  #settle(): Promise<void> {
    return settle(() => this.#activity());
  }

  #activity(): number {
    const server = this.#server;
    return (
      this.#disk.statements +
      this.#files.operations +
      this.#clients.events +
      (server?.clock.uses ?? 0) +
      (server?.engine.steps ?? 0)
    );
  }

  async #start(): Promise<void> {
    try {
      this.#server = await startSimulated({
        config: settings(this.#folder),
        time: this.#time,
        disk: this.#disk,
        files: this.#files,
        chance: this.#chance.fork(),
        // What a dead process still says depends on how fast its port is closed.
        logger: this.trace.logger(() => this.#disk.death === null),
        produced: this.#produced,
        started: (tag) => this.#clients.started(tag),
        served: (teamId, tokens) => this.#fairness.serve(teamId, tokens),
      });
      this.trace.add("started");
    } catch (thrown) {
      this.trace.add(`not started: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      if (this.#disk.death !== null) await this.#replaceFiles();
      this.#startLater();
    }
    this.#fairness.restart();
    this.#admitted.restart();
    this.#jobs.restart();
  }

  #startLater(): void {
    this.#restarts += 1;
    this.#time.after(this.#chance.between(100, 20_000), () => (this.#wantsStart = true));
  }

  /** The process has ended in the middle of what it did; another one starts with what is on the disk. */
  async #die(): Promise<void> {
    const server = this.#server;
    this.trace.add(`died of ${this.#disk.death}`);
    this.#server = null;
    this.#clients.disconnectAll();
    if (server === null) return;
    await this.#replaceFiles(server);
    this.#startLater();
  }

  async #replaceFiles(server?: SimulatedServer): Promise<void> {
    const replace = this.#disk.recover();
    this.#files.recover(this.#disk.death);
    if (server !== undefined) await closeDead(server);
    await this.#books?.close();
    replace();
    this.#books = await SimulatedBooks.open(this.#disk);
  }

  /** Restarts the server as an operator does. */
  async #restart(server: SimulatedServer): Promise<void> {
    this.trace.add("restart");
    let isClosed = false;
    const closed = server.app.close().finally(() => (isClosed = true));
    for (let steps = 0; !isClosed && this.#disk.death === null; steps += 1) {
      await this.#settle();
      // Time must not move because the system takes a few turns to close a port.
      for (let turns = 0; !isClosed && turns < portTurns; turns += 1) await turn();
      if (steps > closingTurnsMax) throw new Violation("a process can close", "it does not");
      if (!isClosed) this.#time.step(this.#time.elapsed + hourMs);
    }
    if (this.#disk.death !== null) return this.#die();
    await closed;
    this.#server = null;
    this.#clients.disconnectAll();
    this.#books?.checkpoint();
    this.#restarts += 1;
    await this.#start();
    await this.#settle();
  }

  #sleep(): void {
    this.trace.add("sleep");
    this.#jobs.dropFetchable();
    this.#time.jump(dayMs);
    this.#endsAt += dayMs;
  }

  async #buy(): Promise<void> {
    this.#wantsCredit = false;
    const books = this.#openBooks();
    for (const { id, billing } of simulatedTeams)
      if (billing === "prepaid" && (await books.readCredit(id)) < 30_000)
        await books.buy(id, this.#chance.between(5000, 120_000), this.#time.now);
  }

  #checkServer(): void {
    if (this.#server === null) return;
    checkSlots(this.#server);
    const { engine } = this.#server;
    this.#fairness.check(this.#clients.waitingTeams, (teamId) => engine.activeOf(teamId));
  }

  async #checkBooks(): Promise<void> {
    this.#checkedWrites = this.#disk.writes;
    const books = this.#openBooks();
    if (!books.hasChanged()) return;
    if (this.#server !== null) await books.check(this.#produced, this.#server.app.liveRuns.size);
    await this.#jobs.check(books);
    await this.#batches.check(books);
  }

  #openBooks(): SimulatedBooks {
    if (this.#books === null) throw new Error("the books are closed");
    return this.#books;
  }
}
