/** Checks that everything that was accepted has ended exactly once. */
import type { Row } from "../../world/table.js";
import { secretOf } from "../../bench/accounts.js";
import type { Scene } from "../scene.js";
import { ask, askJson, type Answered } from "../http.js";
import type { Accepted, AcceptedBatch } from "../records.js";

export interface AcceptedWork {
  readonly rows: readonly Row[];
  /** What the answer of a job says that it cost, by id of the job. */
  readonly ticks: ReadonlyMap<string, number>;
}

export async function checkAccepted(scene: Scene): Promise<AcceptedWork> {
  const { records } = scene;
  const ticks = new Map<string, number>();
  const ends = { deferred: new Ends(), responses: new Ends(), lines: new Ends() };
  for (const job of records.deferred) ends.deferred.add(await endOfDeferred(scene, job, ticks));
  for (const response of records.responses) ends.responses.add(await endOfResponse(scene, response, ticks));
  for (const batch of records.batches) for (const end of await endsOfBatch(scene, batch)) ends.lines.add(end);
  const row = (figure: string, of: Ends): Row => ({ figure, value: of.text(), reach: "each ends once" });
  return {
    ticks,
    rows: [
      row("deferred completions", ends.deferred),
      row("background responses", ends.responses),
      row(`lines of ${records.batches.length} batches`, ends.lines),
    ],
  };
}

/** Counts how things have ended. */
class Ends {
  readonly #counts = new Map<string, number>();

  add(end: string): void {
    this.#counts.set(end, (this.#counts.get(end) ?? 0) + 1);
  }

  text(): string {
    return [...this.#counts].map(([end, count]) => `${count} ${end}`).join(", ");
  }
}

function errorOf({ status, text }: Answered): string {
  return `${status} ${(text ?? "").slice(0, 300)}`;
}

async function endOfDeferred(
  { servers, chance, records }: Scene,
  { id, team }: Accepted,
  ticks: Map<string, number>,
): Promise<string> {
  const path = `/v1/chat/deferred-completion/${id}`;
  const answered = await ask(chance.pick(servers), path, { key: secretOf(0, team) });
  if (answered?.status === 200) {
    const { usage } = JSON.parse(answered.text ?? "") as { usage: { cost_in_usd_ticks: number } };
    ticks.set(id, usage.cost_in_usd_ticks);
    return "done";
  }
  if (answered === null || answered.status === 202 || answered.status === 404) {
    records.broken.push(`deferred completion ${id}: ${answered === null ? "no answer" : errorOf(answered)}`);
    return "lost";
  }
  return "failed";
}

async function endOfResponse(
  { servers, chance, records }: Scene,
  { id, team }: Accepted,
  ticks: Map<string, number>,
): Promise<string> {
  const answered = await ask(chance.pick(servers), `/v1/responses/${id}`, { key: secretOf(0, team) });
  const body = (answered?.status === 200 ? JSON.parse(answered.text ?? "") : {}) as {
    status?: string;
    usage?: { cost_in_usd_ticks: number } | null;
  };
  const { status = "lost", usage } = body;
  if (["lost", "queued", "in_progress"].includes(status))
    records.broken.push(`background response ${id}: ${status}`);
  if (usage != null) ticks.set(id, usage.cost_in_usd_ticks);
  return status;
}

interface Batch {
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
}

async function endsOfBatch(
  { servers, chance, records }: Scene,
  { id, team, lines }: AcceptedBatch,
): Promise<readonly string[]> {
  const key = secretOf(0, team);
  const batch = (await askJson(chance.pick(servers), `/v1/batches/${id}`, { key })) as Batch | null;
  const linesOf = async (fileId: string | null | undefined): Promise<readonly string[]> => {
    if (fileId == null) return [];
    const file = await ask(chance.pick(servers), `/v1/files/${fileId}/content`, { key });
    const texts = (file?.text ?? "").split("\n").filter((text) => text !== "");
    return texts.map((text) => (JSON.parse(text) as { custom_id: string }).custom_id);
  };
  const [succeeded, failed] = [await linesOf(batch?.output_file_id), await linesOf(batch?.error_file_id)];
  const ended = [...succeeded, ...failed].sort();
  if (batch?.status !== "completed" || ended.join() !== [...lines].sort().join())
    records.broken.push(
      `batch ${id}: ${batch?.status ?? "lost"}, ${ended.length} of ${lines.length} lines have ended`,
    );
  return [...succeeded.map(() => "succeeded"), ...failed.map(() => "failed")];
}
