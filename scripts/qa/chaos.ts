/**
 * `npm run chaos [-- --rounds 20 --seed 1 --servers 3 --faults kill,stop --namespaces --verbose]`: several servers share one PostgreSQL database, with
 * engines behind them and clients of all kinds before them, while in each round something goes wrong. Exits with 1 and the seed when
 * something was lost, charged twice or exceeded; with 2 for invalid arguments, and where there can be no database or no namespaces.
 */
import { printTable, toRow, type Row } from "./figures/table.js";
import { postgresUnavailable } from "../../test/kit/databases/postgres/available.js";
import { takenOverMsMax } from "./chaos/checks/take-overs.js";
import { createNamespaces } from "./chaos/network/namespaces.js";
import { readOptions } from "./chaos/options.js";
import { runCommand } from "./world/options.js";
import { runRounds, type ChaosResult } from "./chaos/rounds.js";

await runCommand("chaos", prepare, main);

function prepare() {
  const options = readOptions(process.argv.slice(2));
  const reason = postgresUnavailable({});
  if (reason !== null) throw new Error(reason);
  return { options, namespaces: options.namespaces ? createNamespaces() : null };
}

async function main({ options, namespaces }: ReturnType<typeof prepare>): Promise<number> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const result = await runRounds(options, namespaces, print);
  print(`\n${options.rounds} rounds, ${options.servers} servers`);
  printTable([...result.rows, ...lastRows(result)]);
  const { broken } = result.records;
  if (broken.length === 0) return 0;
  print("\nmust not be");
  for (const line of broken) print(`  ${line}`);
  const more = options.namespaces ? " --namespaces" : "";
  print(`repeat it with: npm run chaos -- --rounds ${options.rounds} --seed ${options.seed}${more}`);
  return 1;
}

function lastRows({ records, takeOvers, takenOverMsMax: longestMs }: ChaosResult): readonly Row[] {
  return [
    toRow(
      "revoked keys; last accepted after",
      `${records.revoked}; ${records.revokedMsMax.toFixed(0)} ms`,
      "<= 1000 ms",
    ),
    toRow(
      "requests that a limit admitted; refused",
      `${[...records.admitted.values()].flat().length}; ${records.limited}`,
      "limits hold",
    ),
    toRow(
      "servers taken over; the longest",
      `${takeOvers}; ${(longestMs / 1000).toFixed(1)} s`,
      `<= ${takenOverMsMax / 1000} s`,
    ),
  ];
}
