import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../kit/folder.js";
import { type TestProcess, startProcess } from "../../kit/program.js";
import { clientOf } from "../../kit/server/requests.js";
import { builtInModel } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { hearth } from "./backups.js";

const clients = 6;
const deferredCount = 30;
const environment = { HEARTH_API_KEY: "", HEARTH_JOBS_ACTIVE_MAX: "1", HEARTH_KEEP_ALIVE_MS: "60000" };

/** A question whose answer repeats it. */
const questionOf = (index: number): string => `Say this: "word ${index}"`;

it(
  "F12: a backup under load, after kill -9 restored into an empty folder, has books that balance, keys that work, and each of its deferred completions once",
  { timeout: 120_000 },
  async () => {
    const data = join(temporaryFolder(), "data");
    const server = await startProcess({ ...environment, HEARTH_DATA: data });
    const key = readFileSync(join(data, "first-key"), "utf8").trim();
    const load = startLoad(server, key);
    const deferred: string[] = [];
    for (let index = 0; index < deferredCount; index++) deferred.push(await defer(server.url, key, index));
    await until(() => load.answers() > clients);

    const backup = join(temporaryFolder(), "backup.tar.gz");
    expect(await hearth(data, "backup", backup)).toMatchObject({ code: 0, err: "" });
    const answeredAtBackup = load.answers();
    await until(() => load.answers() > answeredAtBackup + clients);
    server.child.kill("SIGKILL");
    await server.exited;
    expect(await load.ended()).toEqual([]);

    const restored = join(temporaryFolder(), "data");
    expect(await hearth(restored, "restore", backup)).toMatchObject({ code: 0, err: "" });
    const database = new Database(join(restored, "hearth.db"), { readonly: true });
    onTestFinished(() => void database.close());
    const count = (query: string): number => database.prepare<[], number>(query).pluck().get() ?? 0;
    const jobs = count("select count(*) from jobs");
    // The backup is of a moment in which the server worked.
    expect(count("select count(*) from runs where state = 'running'")).toBeGreaterThan(0);
    expect(count("select count(*) from runs where state = 'completed' and cost_ticks > 0")).toBeGreaterThan(
      0,
    );
    expect(jobs).toBeGreaterThan(0);
    expect(count("select count(*) from deferred_completions")).toBe(deferredCount);
    expect((await hearth(restored, "ledger", "verify")).out).toBe("The ledger balances.\n");

    const second = await startProcess({ ...environment, HEARTH_DATA: restored });
    await expect(clientOf(second.url, key).models.list()).resolves.toBeDefined();
    for (const id of deferred) {
      const answers = await fetchUntilGone(second.url, key, id);
      expect(answers, id).toEqual([expect.stringContaining("chat.completion")]);
    }
    expect(count("select count(*) from runs where state = 'running'")).toBe(0);
    const twice = `select count(*) from (select 1 from runs where state = 'completed' group by request_id having count(*) > 1)`;
    expect(count(twice)).toBe(0);
    expect((await hearth(restored, "ledger", "verify")).out).toBe("The ledger balances.\n");
    expect(existsSync(join(restored, "restore-unverified"))).toBe(false);
  },
);

/** Clients that ask, each again after its answer, until the server dies. */
function startLoad({ url }: TestProcess, key: string) {
  let answers = 0;
  const failures: unknown[] = [];
  const client = async (): Promise<void> => {
    for (;;) {
      const response = await post(url, key, { max_tokens: 8 }).catch(() => null);
      const text = (await response?.text().catch(() => null)) ?? null;
      if (response === null || text === null) return;
      if (response.status !== 200) failures.push(text);
      answers += 1;
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return { answers: () => answers, ended: () => all.then(() => failures) };
}

function post(url: string, key: string, more: object, content = questionOf(0)): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, messages: [{ role: "user", content }], ...more }),
  });
}

async function defer(url: string, key: string, index: number): Promise<string> {
  const response = await post(url, key, { deferred: true, max_tokens: 64 }, questionOf(index));
  return ((await response.json()) as { request_id: string }).request_id;
}

/** Returns every answer that a deferred completion gives, until there is none left. */
async function fetchUntilGone(url: string, key: string, id: string): Promise<readonly string[]> {
  const answers: string[] = [];
  for (;;) {
    const response = await fetch(`${url}/v1/chat/deferred-completion/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await response.text();
    if (response.status === 404) return answers;
    if (response.status !== 202) answers.push(text);
  }
}
