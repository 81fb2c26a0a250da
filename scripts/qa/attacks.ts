/**
 * `npm run attacks [-- --seconds 60 --runs 1000000 --only exports,"bodies of 32 MB"]`: starts one server with a year of usage, lets eight clients stream, and then
 * attacks it in every known way at once: schemas, engines, connections, exports, bodies, uploads, model files. Exits with 1 where a
 * stream is cut, its gaps grow, the server does not answer in time, or its books do not balance; with 2 for invalid arguments.
 */
import { parseArgs } from "node:util";
import { startLagProbe } from "./world/lag.js";
import { printTable, quantile, toRow, type Row } from "./figures/table.js";
import { readNames, readWhole, runCommand } from "./world/options.js";
import { startAttackers, type Outcomes } from "./attacks/attackers.js";
import { attacks } from "./attacks/attacks.js";
import { createScene, type AttackScene } from "./attacks/scene.js";
import { startStreams, type Streamed } from "./attacks/streams.js";

const healthMsMax = 100;
const gapRatioMax = 2;
/** The streams and the probe warm up before they are measured. */
const warmUpMs = 5_000;

interface Options {
  readonly seconds: number;
  readonly runs: number;
  /** The attacks that are made; empty: all. */
  readonly only: readonly string[];
}

await runCommand("attacks", readOptions, main);

async function main(options: Options): Promise<number> {
  process.stdout.write(`preparing a server with ${options.runs} finished runs\n`);
  const scene = await createScene(options.runs);
  try {
    return await attack(scene, options);
  } finally {
    await scene.close();
  }
}

async function attack(scene: AttackScene, { seconds, only }: Options): Promise<number> {
  const warmUp = startStreams(scene);
  await pause(warmUpMs);
  await warmUp.stop();
  process.stdout.write(`${seconds} s without attacks, then ${seconds} s with all of them\n`);
  const quiet = await measure(scene, seconds);
  const attackers = startAttackers(scene, only);
  const attacked = await measure(scene, seconds);
  const outcomes = await attackers.stop();
  const books = await scene.stopAndVerify();
  printOutcomes(outcomes);
  const { rows, failed } = judge(quiet, attacked, books);
  printTable(rows);
  return failed ? 1 : 0;
}

interface Measured {
  readonly streamed: Streamed;
  /** Response times of GET /healthz in milliseconds. */
  readonly healthMs: readonly number[];
}

async function measure(scene: AttackScene, seconds: number): Promise<Measured> {
  const probe = startLagProbe(scene.url);
  const streams = startStreams(scene);
  await pause(seconds * 1000);
  const streamed = await streams.stop();
  // A probe that could not reach the server has ended: it never answered in time.
  const healthMs = await probe.stop().catch(() => [Number.POSITIVE_INFINITY]);
  return { streamed, healthMs };
}

function judge(quiet: Measured, attacked: Measured, books: Books): { rows: readonly Row[]; failed: boolean } {
  const [before, during] = [quiet, attacked].map(({ streamed }) => quantile(streamed.gapsMs, 0.99));
  const ratio = (during ?? Number.NaN) / (before ?? Number.NaN);
  const health = quantile(attacked.healthMs, 0.99);
  const { cut, answers } = attacked.streamed;
  const rows: readonly Row[] = [
    toRow("streams cut", `${cut.length} of ${answers} ${cut[0] ?? ""}`, "0"),
    toRow(
      "p99 of the gaps of a stream, before; under attack",
      `${show(before)}; ${show(during)} ms (${ratio.toFixed(2)} times)`,
      `<= ${gapRatioMax} times`,
    ),
    toRow(
      "longest gap, before; under attack",
      `${show(quantile(quiet.streamed.gapsMs, 1))}; ${show(quantile(attacked.streamed.gapsMs, 1))} ms`,
    ),
    toRow(
      "GET /healthz, p99 before; under attack",
      `${show(quantile(quiet.healthMs, 0.99))}; ${show(health)} ms`,
      `<= ${healthMsMax} ms`,
    ),
    toRow("GET /healthz, longest under attack", `${show(quantile(attacked.healthMs, 1))} ms`),
    toRow("SIGTERM to the end of the process", `${show(books.stopMs)} ms`),
    toRow("books", books.problems?.slice(0, 500) ?? "balance", "balance"),
  ];
  const failed =
    cut.length > 0 || !(ratio <= gapRatioMax) || !(health <= healthMsMax) || books.problems !== null;
  return { rows, failed };
}

type Books = Awaited<ReturnType<AttackScene["stopAndVerify"]>>;

function printOutcomes(outcomes: Outcomes): void {
  process.stdout.write("\nattacks, and how they were answered\n");
  for (const [attack, counts] of Object.entries(outcomes)) {
    const answers = Object.entries(counts).map(([outcome, count]) => `${outcome} (${count})`);
    process.stdout.write(`  ${attack.padEnd(32)}  ${answers.join(", ")}\n`);
  }
  process.stdout.write("\n");
}

function show(ms: number | undefined): string {
  return (ms ?? Number.NaN).toFixed(ms !== undefined && ms < 10 ? 1 : 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      runs: { type: "string", default: "1000000" },
      only: { type: "string", default: "" },
    },
    allowPositionals: false,
  });
  return {
    seconds: readWhole("--seconds", values.seconds, 3_600),
    runs: readWhole("--runs", values.runs, 10_000_000),
    only: readNames("--only", values.only, Object.keys(attacks)),
  };
}
