/** Reads the database beside the servers. */
import pg from "pg";
import { setTimeout as delay } from "node:timers/promises";
import type { ReadRows } from "../checks/books.js";

export interface Observer {
  /** Waits while the database does not answer. */
  readonly rows: ReadRows;
  /** Returns the number of the server that was started last by this name. */
  nodeOf(name: string): Promise<number>;
  /**
   * Waits until nothing in the database is that server's any more.
   * @returns the time it took; null when it is longer than `msMax`, with what is left.
   */
  takenOver(node: number, msMax: number): Promise<{ readonly ms: number | null; readonly left: string }>;
  close(): Promise<void>;
}

const lookMs = 100;
const answerMsMax = 10_000;

export function createObserver(url: string): Observer {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 2_000,
    query_timeout: answerMsMax,
  });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const rows: ReadRows = async <Row extends object>(text: string, ...values: readonly unknown[]) => {
    for (;;) {
      try {
        return (await pool.query<Row>(text, [...values])).rows;
      } catch (thrown) {
        // A wrong query stays wrong.
        if (thrown instanceof pg.DatabaseError && /^(42|22)/.test(thrown.code ?? "")) throw thrown;
        await delay(lookMs);
      }
    }
  };
  return {
    rows,
    async nodeOf(name) {
      const [row] = await rows<{ id: number }>("select max(id) as id from nodes where name = $1", name);
      return row?.id ?? 0;
    },
    async takenOver(node, msMax) {
      const from = performance.now();
      const text = `select (select count(*) from nodes where id = $1) as nodes, (select count(*) from jobs where node_id = $1) as jobs,
        (select count(*) from runs where node_id = $1 and state = 'running') as runs`;
      for (;;) {
        const [row] = await rows<Record<"nodes" | "jobs" | "runs", string>>(text, node);
        const ms = performance.now() - from;
        const left = Object.entries(row ?? {}).filter(([, count]) => count !== "0");
        if (left.length === 0) return { ms, left: "" };
        if (ms > msMax) return { ms: null, left: left.map(([what, count]) => `${count} ${what}`).join(", ") };
        await delay(lookMs);
      }
    },
    close: () => pool.end(),
  };
}
