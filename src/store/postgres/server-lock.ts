/**
 * The lock that keeps two servers from using one database by mistake. A connection of its own holds it, so that the database releases
 * it at once when the process dies, and within half a minute when its machine is gone. While the connection is lost nothing is
 * written.
 */
import pg from "pg";
import type { Clock } from "../../core/clock.js";
import { reasonOf } from "../failure.js";
import type { PostgresAddress } from "./address.js";
import { lockSpace, serverLock } from "./locks.js";
import { joinAgain, joinNodes } from "./nodes.js";
import { clientConfig } from "./pool.js";

export interface ServerLock {
  /** Says as a clause why the lock is not held; null while it is. */
  readonly lost: () => string | null;
  readonly release: () => Promise<void>;
  /** Adds this server to those of the migrated database. @returns its number, whose lock is lost and taken again with the other. */
  readonly join: () => Promise<number>;
}

/** Between two questions whether the connection lives, and two attempts to connect again. */
const watchMs = 5_000;
const retryMs = 1_000;
/** A server that was killed may hold the lock a little longer. */
const waitMs = 250;
const waitsMax = 8;

/** The server notices a client whose machine is gone after 25 seconds; with a Unix socket it notices at once. */
const keepAlive =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/** Takes the lock. @throws Error with one sentence when another server has it. */
export async function takeServerLock(address: PostgresAddress, clock: Clock): Promise<ServerLock> {
  const lock = new HeldLock(address, clock);
  for (let waits = 0; !(await lock.connect()); waits += 1) {
    if (waits >= waitsMax) throw new Error(await lock.otherServer());
    await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
  }
  lock.watch();
  return lock;
}

class HeldLock implements ServerLock {
  #client: pg.Client | null = null;
  #reason = "the connection to the database was lost";
  #isHeld = false;
  #node: number | null = null;
  #isClosed = false;
  #stop = (): void => undefined;

  constructor(
    private readonly address: PostgresAddress,
    private readonly clock: Clock,
  ) {}

  readonly lost = (): string | null => (this.#isHeld ? null : this.#reason);

  readonly release = async (): Promise<void> => {
    this.#isClosed = true;
    this.#stop();
    await this.#disconnect();
  };

  readonly join = async (): Promise<number> => {
    if (this.#client === null) throw new Error("the connection to the database was lost");
    return (this.#node = await joinNodes(this.#client, this.clock.now()));
  };

  /** Returns whether the lock was free. @throws what connecting throws. */
  async connect(): Promise<boolean> {
    const client = this.#client ?? (await this.#open());
    const text = "select pg_try_advisory_lock($1, $2) as held";
    const { rows } = await client.query<{ readonly held: boolean }>(text, [lockSpace, serverLock]);
    const isFree = rows[0]?.held === true && (await this.#holdNode(client));
    this.#isHeld = isFree && this.#client === client;
    return this.#isHeld;
  }

  /** Returns false while the database has not noticed that the connection before was lost. */
  async #holdNode(client: pg.Client): Promise<boolean> {
    if (this.#node === null) return true;
    return joinAgain(client, this.#node, this.clock.now());
  }

  /** Says who has the lock. */
  async otherServer(): Promise<string> {
    const text = `select coalesce(cast(client_addr as text), 'this machine') as address, cast(backend_start as text) as since
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and classid = $1 and objid = $2 and granted`;
    const { rows } = (await this.#client?.query<{ readonly address: string; readonly since: string }>(text, [
      lockSpace,
      serverLock,
    ])) ?? { rows: [] };
    await this.#disconnect();
    const [other] = rows;
    const who = other === undefined ? "" : ` (from ${other.address}, since ${other.since})`;
    return `another Hearth server${who} uses this database; several servers on one database are not supported yet`;
  }

  watch(): void {
    this.#stop = this.clock.after(this.#isHeld ? watchMs : retryMs, () => {
      void this.#check().finally(() => {
        if (!this.#isClosed) this.watch();
      });
    });
  }

  async #check(): Promise<void> {
    try {
      if (this.#isHeld) await this.#client?.query("select 1");
      else if (!(await this.connect())) this.#reason = await this.otherServer();
    } catch (thrown) {
      this.#isHeld = false;
      this.#reason = `the connection to the database was lost: ${reasonOf(thrown)}`;
      await this.#disconnect();
    }
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({ ...clientConfig(this.address), query_timeout: watchMs });
    const forget = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#isHeld = false;
    };
    client.on("error", forget);
    client.on("end", forget);
    await client.connect();
    this.#client = client;
    await client.query(keepAlive);
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#isHeld = false;
    await client?.end().catch(() => undefined);
  }
}
