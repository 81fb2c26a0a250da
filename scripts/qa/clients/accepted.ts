/** Checks that everything that was accepted has ended exactly once. */
import { finalStates, type AcceptedBatch, type SeenBatch, type SeenLine } from "../checks/batches.js";
import type { Books } from "../checks/books.js";
import type { AcceptedJob } from "../checks/jobs.js";
import { ask, askJson } from "../world/ask.js";
import { Counts } from "../figures/counts.js";
import { jobPath, readCost, parseLines } from "../world/requests.js";
import { toRow, type Row } from "../figures/table.js";
import { pickServer, type Load } from "./load.js";

export interface AcceptedWork {
  readonly rows: readonly Row[];
  /** What the answer of a job says that it cost, by id of the job; null where it has no answer. */
  readonly jobTicks: ReadonlyMap<string, number | null>;
}

interface End {
  readonly name: string;
  readonly ticks: number | null;
}

export async function checkAccepted(load: Load, books: Books): Promise<AcceptedWork> {
  const { jobs, batches } = load.records;
  await jobs.check(books);
  await batches.check(books);
  const jobTicks = new Map<string, number | null>();
  const ends = { deferred_completions: new Counts(), responses: new Counts(), lines: new Counts() };
  for (const job of jobs.all) {
    const readEnd = job.table === "responses" ? readResponse : readDeferred;
    const { name, ticks } = await readEnd(load, job);
    ends[job.table].add(name);
    jobTicks.set(job.id, ticks);
  }
  const accepted = batches.unfinished;
  for (const batch of accepted) for (const end of await readBatch(load, batch)) ends.lines.add(end);
  const row = (figure: string, counts: Counts): Row => toRow(figure, String(counts), "each ends once");
  return {
    jobTicks,
    rows: [
      row("deferred completions", ends.deferred_completions),
      row("background responses", ends.responses),
      row(`lines of ${accepted.length} batches`, ends.lines),
    ],
  };
}

async function readDeferred(load: Load, job: AcceptedJob): Promise<End> {
  const { id, table, teamId } = job;
  const answered = await ask(pickServer(load), jobPath(table, id), { key: load.getKey(teamId) });
  if (answered?.status === 200) return { name: "done", ticks: readCost(answered.text ?? "", false) };
  const isLost = answered === null || answered.status === 202 || answered.status === 404;
  const said = answered === null ? "no answer" : `${answered.status} ${answered.text?.slice(0, 300)}`;
  load.records.judge(!isLost, "no accepted job is lost", () => `deferred completion ${id}: ${said}`);
  return { name: isLost ? "lost" : "failed", ticks: null };
}

async function readResponse(load: Load, job: AcceptedJob): Promise<End> {
  const { id, table, teamId } = job;
  const url = pickServer(load);
  const response = await askJson(url, jobPath(table, id), { key: load.getKey(teamId) });
  const { status = "lost", usage } = (response ?? {}) as {
    readonly status?: string;
    readonly usage?: { readonly cost_in_usd_ticks: number } | null;
  };
  const isOpen = ["lost", "queued", "in_progress"].includes(status);
  load.records.judge(!isOpen, "no accepted job is lost", () => `background response ${id}: ${status}`);
  return { name: status, ticks: usage?.cost_in_usd_ticks ?? null };
}

/** @returns how each line has ended */
async function readBatch(load: Load, batch: AcceptedBatch): Promise<readonly string[]> {
  const key = load.getKey(batch.teamId);
  const seen = (await askJson(pickServer(load), `/v1/batches/${batch.id}`, {
    key,
  })) as SeenBatch | null;
  const isEnded = seen !== null && finalStates.includes(seen.status);
  load.records.judge(isEnded, "every batch ends", () => `${batch.id}: ${seen?.status ?? "lost"}`);
  if (!isEnded) return [];
  const readFile = async (id: string | null): Promise<readonly SeenLine[]> => {
    if (id === null) return [];
    const file = await ask(pickServer(load), `/v1/files/${id}/content`, { key });
    return parseLines(file?.text ?? "");
  };
  const [output, errors] = [await readFile(seen.output_file_id), await readFile(seen.error_file_id)];
  // No client cancels one, and none expires within a run.
  load.records.judge(
    seen.status === "completed",
    "every batch completes",
    () => `${batch.id}: ${seen.status}`,
  );
  load.records.batches.end(batch, seen, output, errors);
  return [...output.map(() => "succeeded"), ...errors.map(() => "failed")];
}
