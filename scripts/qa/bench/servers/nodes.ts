/**
 * Measures what Hearth adds to a request over a PostgreSQL database, with one server and with several, beside SQLite. The scripted
 * engine answers at once, every run is priced, and teams pay in advance. Without `--postgres URL` it starts a PostgreSQL of its own, which
 * does not wait for the disk.
 */
import autocannon from "autocannon";
import { openDatabase, type Database } from "../../../../src/store/database.js";
import { openPostgres } from "../../../../src/store/postgres/open.js";
import { systemClock } from "../../../../src/system/clock.js";
import { redisProgram, spawnRedis } from "../../../../test/kit/databases/redis/spawn.js";
import { startPostgresHost } from "../../../../test/kit/databases/postgres/host.js";
import { join } from "node:path";
import { chatInit, requestText } from "../../world/client.js";
import { processCpuMs, scratchFolder } from "../../world/processes.js";
import { startScripted, type ScriptedProcess } from "../../world/server.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";
import { fillTeam, nameSecret } from "../../world/teams.js";
import type { SectionOptions } from "../options.js";

/** Servers that share the database, in each turn. */
const counts = [1, 2, 3];
const teams = 100;
const rounds = 1_000;
/** Requests to each server that are not measured: its code is compiled, its statements are prepared. */
const roundsBefore = 2_000;
const seconds = 8;
const connections = 24;

/** Teams whose keys have limits of every kind, and teams without any. */
type Group = "limited" | "free";

const nameTeam = (group: Group, index: number): string => `${group}-${index}`;

export async function nodesSection({ postgres }: SectionOptions): Promise<readonly Row[]> {
  const rows = await sqliteRows();
  const host = postgres === null ? await startPostgresHost(undefined) : null;
  const url = postgres ?? (await (await fetch(host?.url ?? "", { method: "POST" })).text());
  try {
    const database = await openPostgres({ url, connectionsMax: 2, clock: systemClock, server: null });
    await fillTeams(database);
    await database.close();
    for (const count of counts) rows.push(...(await postgresRows(url, count, "limited")));
    rows.push(...(await postgresRows(url, 1, "free")));
    rows.push(...(await redisRows(url)));
    return rows;
  } finally {
    await host?.close();
  }
}

async function fillTeams(database: Database): Promise<void> {
  for (let team = 0; team < teams; team++) {
    await fillTeam(database, 1, "prepaid", nameTeam("limited", team));
    await fillTeam(database, 1, "prepaid", nameTeam("free", team), false);
  }
}

async function redisRows(url: string): Promise<Row[]> {
  if (redisProgram === null) return [toRow("limits in Redis: skipped, no redis-server", "")];
  const redis = await spawnRedis();
  try {
    return await postgresRows(url, 1, "limited", { HEARTH_REDIS_URL: redis.url });
  } finally {
    await redis.close();
  }
}

async function sqliteRows(): Promise<Row[]> {
  const data = scratchFolder();
  const database = await openDatabase(join(data.path, "hearth.db"), { newDatabase: "allowed" });
  await fillTeams(database);
  await database.close();
  const server = await startScripted(data.path, "answers");
  const rows = await measureServers("1 server, SQLite", [server], "limited");
  await server.stop();
  data.remove();
  return rows;
}

async function postgresRows(
  url: string,
  count: number,
  group: Group,
  more: Readonly<Record<string, string>> = {},
): Promise<Row[]> {
  const folders = Array.from({ length: count }, scratchFolder);
  const shared = scratchFolder();
  const settings = {
    HEARTH_DATABASE_URL: url,
    HEARTH_DATABASE_CONNECTIONS_MAX: "16",
    HEARTH_SHARED_FOLDER: shared.path,
    ...more,
  };
  const servers: ScriptedProcess[] = [];
  for (const { path } of folders) servers.push(await startScripted(path, "answers", settings));
  const limits = group === "free" ? ", no limits" : more["HEARTH_REDIS_URL"] ? ", limits in Redis" : "";
  const name = `${count} server${count === 1 ? "" : "s"}, PostgreSQL${limits}`;
  const rows = await measureServers(name, servers, group);
  for (const server of servers) await server.stop();
  for (const folder of [...folders, shared]) folder.remove();
  return rows;
}

async function measureServers(
  name: string,
  servers: readonly ScriptedProcess[],
  group: Group,
): Promise<Row[]> {
  const times: number[] = [];
  for (let round = -roundsBefore * servers.length; round < rounds; round++) {
    const { url } = servers[Math.abs(round) % servers.length] ?? { url: "" };
    const ms = await timed(() =>
      requestText(`${url}/v1/chat/completions`, createRequest(nameTeam(group, Math.abs(round) % teams))),
    );
    if (round >= 0) times.push(ms);
  }
  const at = (share: number): string => quantile(times, share).toFixed(2);
  const one = await load(servers, () => nameTeam(group, 0));
  const many = await load(servers, (turn) => nameTeam(group, turn % teams));
  return [
    toRow(
      `${name}: own time, p50 / p95 / p99`,
      `${at(0.5)} / ${at(0.95)} / ${at(0.99)} ms`,
      "p50 <= 3 ms, p99 <= 15 ms",
    ),
    toRow(`${name}: priced runs/s of one team`, one.rate.toFixed(0)),
    toRow(`${name}: of ${teams} teams`, many.rate.toFixed(0)),
    toRow(`${name}: requests a second of a server's core`, many.perCore.toFixed(0), ">= 73"),
  ];
}

function createRequest(team: string) {
  return chatInit(8, false, "Tell me a long story.", nameSecret(0, team));
}

/** Sends requests over many connections to all servers. @param teamAt the team of a request by its turn */
async function load(
  servers: readonly ScriptedProcess[],
  teamAt: (turn: number) => string,
): Promise<{ readonly rate: number; readonly perCore: number }> {
  const cpu = (): number => servers.reduce((sum, { pid }) => sum + processCpuMs(pid), 0);
  const before = cpu();
  const results = await Promise.all(
    servers.map(({ url }) =>
      autocannon({
        url: `${url}/v1/chat/completions`,
        connections: Math.ceil(connections / servers.length),
        duration: seconds,
        requests: Array.from({ length: teams }, (_, turn) => {
          const { method, headers, body } = createRequest(teamAt(turn));
          return { method: method as "POST", headers, body };
        }),
      }),
    ),
  );
  const failed = results.reduce((sum, { non2xx, errors }) => sum + non2xx + errors, 0);
  if (failed > 0) throw new Error(`${failed} requests failed`);
  const answered = results.reduce((sum, { requests }) => sum + requests.total, 0);
  return { rate: answered / seconds, perCore: answered / ((cpu() - before) / 1000) };
}
