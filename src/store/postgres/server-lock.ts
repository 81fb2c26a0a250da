/**
 * The locks of a server, which say to others that it lives and what it does for all of them. A connection of its own holds them, so that
 * the database releases them at once when the process dies, and within ten seconds when its machine is gone, when the network is cut,
 * or when the process no longer runs. While the connection is lost nothing is written.
 */
import { createHash } from "node:crypto";
import { Socket } from "node:net";
import pg from "pg";
import type { Clock } from "../../core/clock.js";
import { explainFailure } from "../../system/file-errors.js";
import type { PostgresAddress } from "./address.js";
import { inThisDatabase, lockSpace, serverLock, taskSpace } from "./locks.js";
import { joinAgain, joinNodes, type NodeIdentity } from "./nodes.js";
import { clientConfig } from "./pool.js";

/** Between two questions whether the connection lives, and two attempts to connect again. */
const watchMs = 3_000;
const answerTimeoutMs = 5_000;
const retryMs = 1_000;
/** A server that was killed may hold the lock a little longer. */
const waitMs = 250;
const waitsMax = 8;

/**
 * The database ends a connection whose machine is gone (known from its TCP), and one that is not used: a process that is stopped, or has
 * hung, does not ask whether it lives. The second exists since PostgreSQL 14.
 */
const sessionSettings = [
  "set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3",
  "select set_config(name, '10s', false) from pg_settings where name = 'idle_session_timeout'",
].join("; ");

/**
 * Takes the lock.
 * @param use whether other servers may use the database, too
 * @throws Error with one sentence when a server keeps this one from it.
 */
export async function takeServerLock(
  address: PostgresAddress,
  clock: Clock,
  use: "shared" | "alone",
): Promise<ServerLock> {
  const lock = new ServerLock(address, clock, use);
  for (let waits = 0; !(await lock.connect()); waits += 1) {
    if (waits >= waitsMax) throw new Error(await lock.otherServer());
    await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
  }
  lock.watch();
  return lock;
}

export class ServerLock {
  #client: pg.Client | null = null;
  /** The socket of the client. */
  #socket: Socket | null = null;
  #reason = "the connection to the database was lost";
  #isHeld = false;
  #node: (NodeIdentity & { readonly id: number }) | null = null;
  /** The tasks whose locks this server has, or is asking for: whether it gets them. */
  readonly #tasks = new Map<string, Promise<boolean>>();
  #isClosed = false;
  #stop = (): void => undefined;
  #unanswered = (): void => undefined;

  constructor(
    private readonly address: PostgresAddress,
    private readonly clock: Clock,
    private readonly use: "shared" | "alone",
  ) {}

  /** Says as a clause why the lock is not held; null while it is. */
  readonly lost = (): string | null => (this.#isHeld ? null : this.#reason);

  readonly release = async (): Promise<void> => {
    this.#isClosed = true;
    this.#stop();
    await this.#disconnect();
  };

  /** Adds this server to the servers of the migrated database. @returns its number, whose lock is lost and taken again with the other. */
  readonly join = async (node: NodeIdentity): Promise<number> => {
    if (this.#client === null) throw new Error("the connection to the database was lost");
    const id = await joinNodes(this.#client, node, this.clock.now());
    this.#node = { ...node, id };
    return id;
  };

  /** Returns whether this server does the task, which it does from then on if no other one does. */
  readonly holds = (task: string): Promise<boolean> => this.#tasks.get(task) ?? this.#try(task);

  /** Takes the lock of a task. @returns false when this server or another one has it. */
  readonly take = (task: string): Promise<boolean> =>
    this.#tasks.has(task) ? Promise.resolve(false) : this.#try(task);

  async #try(task: string): Promise<boolean> {
    const client = this.#client;
    if (!this.#isHeld || client === null) return false;
    const taking = this.#tryLock(client, taskSpace, toNumber(task))
      .catch(() => false)
      .then((isTaken) => isTaken && this.#client === client);
    this.#tasks.set(task, taking);
    const isTaken = await taking;
    if (!isTaken && this.#tasks.get(task) === taking) this.#tasks.delete(task);
    return isTaken;
  }

  readonly give = async (task: string): Promise<void> => {
    if (!this.#tasks.delete(task)) return;
    // The database has released it when the connection is lost.
    const text = "select pg_advisory_unlock($1, $2)";
    await this.#client?.query(text, [taskSpace, toNumber(task)]).catch(() => undefined);
  };

  /** Calls it whenever the lock is lost because the database does not answer, as when the network is cut and nothing says so. */
  readonly whenUnanswered = (listener: () => void): void => void (this.#unanswered = listener);

  async #tryLock(client: pg.Client, space: number, number: number, kind = ""): Promise<boolean> {
    const text = `select pg_try_advisory_lock${kind}($1, $2) as held`;
    const { rows } = await client.query<{ readonly held: boolean }>(text, [space, number]);
    return rows[0]?.held === true;
  }

  /** Returns whether the lock was free. @throws what connecting throws. */
  async connect(): Promise<boolean> {
    const client = this.#client ?? (await this.#open());
    const kind = this.use === "shared" ? "_shared" : "";
    const isFree =
      (await this.#tryLock(client, lockSpace, serverLock, kind)) && (await this.#holdNode(client));
    this.#isHeld = isFree && this.#client === client;
    return this.#isHeld;
  }

  /** Returns false while the database has not noticed that the connection before was lost. */
  async #holdNode(client: pg.Client): Promise<boolean> {
    if (this.#node === null) return true;
    return joinAgain(client, this.#node.id, this.#node, this.clock.now());
  }

  /** Says who has the lock. */
  async otherServer(): Promise<string> {
    const text = `select coalesce(cast(client_addr as text), 'this machine') as address, cast(backend_start as text) as since
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and classid = $1 and objid = $2 and granted and ${inThisDatabase}`;
    const { rows } = (await this.#client?.query<{ readonly address: string; readonly since: string }>(text, [
      lockSpace,
      serverLock,
    ])) ?? { rows: [] };
    await this.#disconnect();
    const [other] = rows;
    const who = other === undefined ? "" : ` (from ${other.address}, since ${other.since})`;
    return this.use === "alone"
      ? `another Hearth server${who} uses this database`
      : `data is being moved into this database${who}`;
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
      this.#reason = `the connection to the database was lost: ${explainFailure(thrown)}`;
      if (isUnanswered(thrown)) {
        // Not an orderly end, which waits for what was sent before.
        this.#socket?.resetAndDestroy();
        this.#unanswered();
      }
      await this.#disconnect();
    }
  }

  async #open(): Promise<pg.Client> {
    const socket = new Socket();
    const client = new pg.Client({
      ...clientConfig(this.address),
      query_timeout: answerTimeoutMs,
      stream: () => socket,
    });
    const forget = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#isHeld = false;
      this.#tasks.clear();
    };
    client.on("error", forget);
    client.on("end", forget);
    await client.connect();
    this.#client = client;
    this.#socket = socket;
    await client.query(sessionSettings);
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#isHeld = false;
    this.#tasks.clear();
    await client?.end().catch(() => undefined);
  }
}

/** The client library has no code for it. */
function isUnanswered(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === "Query read timeout";
}

/** A number for the name of a task, of 32 bits with a sign as the database's integers. */
function toNumber(task: string): number {
  return createHash("sha256").update(task).digest().readInt32BE();
}
