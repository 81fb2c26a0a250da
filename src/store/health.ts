/**
 * Whether the database can be used, for /readyz and the log. A probe write finds out; it is made only when no other write of the
 * last seconds has, so a busy server makes none, and many questions cost no more than one.
 *
 * States: usable, or a reason why not. A failed write of the server starts a probe with the next question; only a probe ends a
 * reason.
 */
import { sql } from "kysely";
import type { Clock } from "../core/clock.js";
import { HearthError } from "../core/errors.js";
import type { Statement } from "./commit.js";
import type { Database } from "./database.js";
import { explainFailure } from "../system/file-errors.js";
import type { WriteCounts } from "./write-guard.js";

/** About what a request writes, so that the last free blocks of a disk do not pass for space. */
const probeBytes = 32_768;
/** How long a write counts as proof that the next one succeeds. */
const provenMs = 5_000;
/** After a failed probe. */
const retryMs = 1_000;
/** Between two probes while no request asks for the state. */
const watchMs = 6_000;

/** Like a request it needs free pages, and leaves as many behind. */
function writeProbe({ kysely, dialect }: Database): readonly Statement[] {
  const insert = sql`insert into write_probes (content) values (${dialect.someBytes(probeBytes)})`;
  const others = sql`delete from write_probes where id < (select max(id) from write_probes)`;
  return [
    { query: insert.compile(kysely), rows: 1 },
    { query: others.compile(kysely), rows: null },
  ];
}

export class DatabaseHealth {
  #problem: string | null = null;
  #provenAt = Number.NEGATIVE_INFINITY;
  #probedAt = Number.NEGATIVE_INFINITY;
  #seen: WriteCounts;
  /** The probe that is being written. */
  #running: Promise<string | null> | null = null;
  #stop = (): void => undefined;

  /** Starts to watch a database. @param onChange called with each new reason, and with null when the database can be used again. */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly onChange: (problem: string | null) => void,
  ) {
    this.#seen = database.guard.counts();
    this.#watch();
  }

  /** Returns why the database cannot be used, without its path; null when it can. Never rejects. */
  async problem(): Promise<string | null> {
    // Without its lock a server is not ready, whether or not the database answers, and need not wait for that.
    const isReachable = this.database.guard.lost() === null && (await this.database.isReachable());
    const lost = this.database.guard.lost();
    if (lost !== null) return this.#report(lost);
    if (!isReachable) return this.#report("the database does not answer");
    if (this.#running === null && !this.#isProbeDue()) return this.#problem;
    return this.#report(await (this.#running ??= this.#probe()));
  }

  close(): void {
    this.#stop();
  }

  /** Writes nothing on an idle server. */
  #watch(): void {
    this.#stop = this.clock.after(watchMs, () => {
      const { guard } = this.database;
      const isSuspect = this.#problem !== null || guard.counts().failed > this.#seen.failed;
      if (isSuspect || guard.lost() !== null) void this.problem();
      this.#watch();
    });
  }

  #isProbeDue(): boolean {
    const now = this.clock.monotonic();
    const counts = this.database.guard.counts();
    if (this.#problem !== null) return now - this.#probedAt >= retryMs;
    if (counts.failed > this.#seen.failed) return true;
    if (counts.synced > this.#seen.synced) this.#provenAt = now;
    this.#seen = counts;
    return now - this.#provenAt >= provenMs;
  }

  async #probe(): Promise<string | null> {
    const problem = await findFailure(() => this.database.commit(writeProbe(this.database), true));
    this.#probedAt = this.clock.monotonic();
    if (problem === null) this.#provenAt = this.#probedAt;
    this.#seen = this.database.guard.counts();
    this.#running = null;
    return problem;
  }

  #report(problem: string | null): string | null {
    if (problem !== this.#problem) this.onChange(problem);
    this.#problem = problem;
    return problem;
  }
}

async function findFailure(write: () => Promise<void>): Promise<string | null> {
  try {
    await write();
    return null;
  } catch (thrown) {
    const cause = thrown instanceof HearthError && thrown.cause !== undefined ? thrown.cause : thrown;
    return `writes to the database fail: ${explainFailure(cause)}`;
  }
}
