/**
 * Measures the cost of a priced request outside the model over PostgreSQL beside SQLite, and how many of one team and of many teams are
 * recorded and settled in a second. Nobody else may use the database, which must be empty.
 */
import { join } from "node:path";
import { openDatabase, type Database } from "../../../../src/store/database.js";
import { openPostgres } from "../../../../src/store/postgres/open.js";
import { systemClock } from "../../../../src/system/clock.js";
import { requestOver } from "../accounts.js";
import type { SectionOptions } from "../options.js";
import { scratchFolder } from "../../world/processes.js";
import { spread, toRow, type Row } from "../../figures/table.js";
import { fillTeam, nameSecret } from "../../world/teams.js";

const requests = 2_000;
const turns = 20;
const teams = 100;
const parallel = 16;
const connectionsMax = 16;

export async function postgresSection({ postgres: url }: SectionOptions): Promise<readonly Row[]> {
  if (url === null) return [toRow("skipped: --postgres URL", "")];
  const data = scratchFolder();
  const sqlite = await openDatabase(join(data.path, "hearth.db"));
  const postgres = await openPostgres({ url, connectionsMax, clock: systemClock, server: null });
  try {
    const worlds = [await fillDatabase(sqlite), await fillDatabase(postgres)];
    for (let turn = 0; turn < turns; turn++) for (const world of worlds) await world.takeTurn();
    const [ofSqlite, ofPostgres] = worlds.map(({ times }) => spread(times, 3, "ms"));
    return [
      toRow("authenticate, limits, reserve, settle: SQLite", ofSqlite ?? ""),
      toRow("the same over PostgreSQL", ofPostgres ?? ""),
      ...(await rates("SQLite", worlds[0])),
      ...(await rates("PostgreSQL", worlds[1])),
    ];
  } finally {
    await sqlite.close();
    await postgres.close();
    data.remove();
  }
}

interface World {
  /** The durations of requests that came one after the other, in milliseconds. */
  readonly times: readonly number[];
  takeTurn(): Promise<void>;
  /** Makes requests of so many teams at the same time. @returns how many of them were made in a second */
  rateOf(teams: number): Promise<number>;
}

const nameTeam = (index: number): string => (index === 0 ? "team" : `team-${index}`);

async function fillDatabase(database: Database): Promise<World> {
  for (let index = 0; index < teams; index++) await fillTeam(database, 1, "prepaid", nameTeam(index));
  const request = requestOver(database, "prepaid");
  const times: number[] = [];
  return {
    times,
    async takeTurn() {
      for (let made = 0; made < requests / turns; made++) {
        const began = performance.now();
        await request(nameSecret(0));
        times.push(performance.now() - began);
      }
    },
    async rateOf(count) {
      let next = 0;
      const began = performance.now();
      const work = async (): Promise<void> => {
        while (next < requests) await request(nameSecret(0, nameTeam(next++ % count)));
      };
      await Promise.all(Array.from({ length: parallel }, work));
      return requests / ((performance.now() - began) / 1000);
    },
  };
}

async function rates(name: string, world: World | undefined): Promise<readonly Row[]> {
  if (world === undefined) return [];
  const [one, many] = [await world.rateOf(1), await world.rateOf(teams)];
  return [
    toRow(`priced runs a second of one team, ${parallel} at once: ${name}`, one.toFixed(0)),
    toRow(`of ${teams} teams: ${name}`, many.toFixed(0)),
  ];
}
