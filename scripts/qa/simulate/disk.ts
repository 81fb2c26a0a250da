/**
 * The simulated disk: a real SQLite file whose connection fails at chosen statements, and that a power cut tears. A process that
 * is killed writes nothing from that statement on. A power cut also loses what was not synced: the write-ahead log is cut
 * anywhere behind its last synced byte, also inside a page, as a file system may leave it.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openDatabase, type Database } from "../../../src/store/database.js";
import type { Chance } from "../figures/chance.js";
import { Counts } from "../figures/counts.js";

/** What ends a process from outside. */
export type Death = "kill" | "power-cut";

export type FaultKind = "busy" | "full" | "io" | Death;

export interface DiskFault {
  readonly kind: FaultKind;
  /** The statement at which it begins, counted from the planning; a commit counts as one, too. */
  readonly afterStatements: number;
  /** Statements that fail; a death has no end. */
  readonly statements: number;
}

const codes = {
  busy: "SQLITE_BUSY",
  full: "SQLITE_FULL",
  io: "SQLITE_IOERR",
  kill: "SQLITE_IOERR",
  "power-cut": "SQLITE_IOERR",
} as const;

export class SimulatedDisk {
  /** Statements executed or failed so far. */
  statements = 0;
  /** Statements that may have changed the file. */
  writes = 0;
  readonly injected = new Counts();
  readonly #folder: string;
  readonly #chance: Chance;
  #generation = 0;
  #fault: DiskFault | null = null;
  #beginsAt = Infinity;
  #death: Death | null = null;
  #isSynced = false;
  /** Bytes of the log that a power cut leaves. */
  #durableBytes = 0;

  constructor(folder: string, chance: Chance) {
    this.#folder = folder;
    this.#chance = chance;
  }

  get file(): string {
    return join(this.#folder, `hearth-${this.#generation}.db`);
  }

  /** What has ended the process; null while it runs. */
  get death(): Death | null {
    return this.#death;
  }

  /** Plans the next fault; null = none. */
  plan(fault: DiskFault | null): void {
    this.#fault = fault;
    this.#beginsAt = fault === null ? Infinity : this.statements + fault.afterStatements;
  }

  get hasPlan(): boolean {
    return this.#fault !== null;
  }

  /** Opens the database for a new process. */
  async open(): Promise<Database> {
    this.#death = null;
    const database = await openDatabase(this.file, {
      connect: (file, options) => this.#connect(file, options),
    });
    this.synced();
    return database;
  }

  /** Opens the database as another program beside the server does; no fault hits it. */
  async openBeside(): Promise<Database> {
    return openDatabase(this.file, {
      connect(file, options) {
        const sqlite = new Sqlite(file, options);
        sqlite.pragma("wal_autocheckpoint = 0");
        return sqlite;
      },
    });
  }

  /** Another program has synced the log. */
  synced(): void {
    this.#durableBytes = this.#logBytes();
  }

  /**
   * Takes the files as a new process will find them. Call it before the dead process closes its connection, which would write to
   * them. @returns a function that puts them in place, to be called after it has closed.
   */
  recover(): () => void {
    const { file } = this;
    const log = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0);
    const left = this.#death === "power-cut" ? this.#torn(log) : log;
    const pages = readFileSync(file);
    return () => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
      this.#generation += 1;
      writeFileSync(this.file, pages);
      if (left.length > 0) writeFileSync(`${this.file}-wal`, left);
    };
  }

  /** Returns the log as a power cut leaves it. */
  #torn(log: Buffer): Buffer {
    const chance = this.#chance;
    const length = chance.happens(0.4) ? this.#durableBytes : chance.between(this.#durableBytes, log.length);
    const kept = Buffer.from(log.subarray(0, length));
    // The file may have grown although the bytes never arrived.
    return chance.happens(0.3) ? Buffer.concat([kept, Buffer.alloc(log.length - length)]) : kept;
  }

  #logBytes(): number {
    return statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #connect(file: string, options: Sqlite.Options): Sqlite.Database {
    const sqlite = new Sqlite(file, options);
    // The log only grows until a process ends, so that its length says what was written.
    sqlite.pragma("wal_autocheckpoint = 0");
    return new Proxy(sqlite, {
      get: (target, name) => {
        if (name === "prepare") return (text: string) => this.#statement(target.prepare(text));
        if (name === "pragma")
          return (text: string, more?: Sqlite.PragmaOptions) => this.#pragma(target, text, more);
        if (name === "transaction")
          return (work: (...args: unknown[]) => unknown) => this.#transaction(target, work);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** The simulation decides what a power cut leaves, so nothing waits for the real disk. */
  #pragma(sqlite: Sqlite.Database, text: string, options?: Sqlite.PragmaOptions): unknown {
    if (text.startsWith("synchronous")) {
      this.#isSynced = text.endsWith("FULL");
      return sqlite.pragma("synchronous = OFF");
    }
    const writes = /^(wal_checkpoint|incremental_vacuum)/.test(text);
    if (writes) this.#before(false);
    const result = sqlite.pragma(text, options);
    // A checkpoint syncs the log before it moves it into the file.
    if (text.startsWith("wal_checkpoint")) this.synced();
    return result;
  }

  #statement(statement: Sqlite.Statement): Sqlite.Statement {
    const { readonly: reads } = statement;
    const guarded = ["run", "all", "get"];
    return new Proxy(statement, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        if (!guarded.includes(String(name))) return method;
        return (...args: unknown[]): unknown => {
          this.#before(reads);
          return method(...args);
        };
      },
    });
  }

  #transaction(sqlite: Sqlite.Database, work: (...args: unknown[]) => unknown): unknown {
    const all = sqlite.transaction((...args: unknown[]) => {
      const result = work(...args);
      // The commit itself fails: nothing of it is written.
      this.#before(false);
      return result;
    });
    const immediate = (...args: unknown[]): unknown => {
      const result = all.immediate(...args);
      if (this.#isSynced) this.synced();
      this.#afterCommit();
      return result;
    };
    return Object.assign(immediate, { immediate });
  }

  /** Counts a statement. @throws SqliteError when a fault hits it. */
  #before(reads: boolean): void {
    this.statements += 1;
    if (this.#death !== null) throw this.#error(this.#death);
    if (!reads) this.writes += 1;
    const fault = this.#fault;
    if (fault === null || this.statements < this.#beginsAt) return;
    if (fault.kind === "kill" || fault.kind === "power-cut") {
      this.#death = fault.kind;
      this.plan(null);
    } else {
      if (this.statements >= this.#beginsAt + fault.statements) return this.plan(null);
      if (reads && fault.kind !== "io") return;
    }
    this.injected.add(fault.kind);
    throw this.#error(fault.kind);
  }

  /** A process may end after a commit and before it learns of it; SQLite reports no other fault there. */
  #afterCommit(): void {
    const { kind } = this.#fault ?? {};
    if (kind === "kill" || kind === "power-cut") this.#before(false);
  }

  #error(kind: FaultKind): Error {
    return new Sqlite.SqliteError(`simulated: ${kind}`, codes[kind]);
  }
}
