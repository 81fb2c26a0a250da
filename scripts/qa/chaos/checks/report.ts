/** What is kept where something must not be: what the database says of it, and what the servers have logged. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChaosScene } from "../scene.js";

/** The name of each file, and what it is read by. */
const queries = {
  nodes: "select * from nodes order by id",
  jobs: `select id, kind, attempts, node_id, create_time, to_timestamp(lease_until / 1000.0) as leased_until, now()
    from jobs order by create_time`,
  runs: "select * from runs where state = 'running' order by start_time",
  ledger: `select entry.*, written.kind, written.run_id from ledger_transactions as written
    join ledger_entries as entry on entry.transaction_id = written.id
    where run_id in (select id from runs where state = 'running') order by written.id`,
  batches: "select * from batches where end_time is null",
  connections: `select pid, application_name, client_addr, backend_start, xact_start, state_change, now(), state, wait_event_type,
    wait_event, pg_blocking_pids(pid) as blocked_by, left(query, 500) as query from pg_stat_activity where datname = current_database()`,
  locks: "select * from pg_locks order by pid",
  marks: "select * from commit_marks order by time",
};

/**
 * Writes what is known now to a new folder, and adds a line with its path to the records.
 * @param why names the folder
 */
export async function keepReport({ observer, records, servers }: ChaosScene, why: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `hearth-chaos-${why}-`));
  for (const [name, text] of Object.entries(queries))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(await observer.rows(text), null, 1));
  for (const { name, logged } of servers) writeFileSync(join(folder, `${name}.log`), logged());
  records.broken.push(`what the database and the servers said then is in ${folder}`);
}
