/** The command line of `npm run fuzz`. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { readNumber, readWhole } from "../world/options.js";
import { runCampaign, type CampaignResult } from "./campaign.js";
import { root } from "../world/root.js";
import { targets } from "./targets.js";

interface Arguments {
  /** Names, or paths of modules from the root of the repository. */
  readonly targets: readonly string[];
  readonly seed: number;
  readonly inputs: number;
  readonly minutes: number;
  /** A file with the only input. */
  readonly input: string | null;
  /** The folder of failing inputs. */
  readonly output: string;
}

/**
 * Fuzzes the targets one after the other and prints what it found.
 * @returns the exit code: 0 every guarantee holds, 1 one does not, 2 the arguments are invalid
 */
export async function fuzz(args: readonly string[], print: (line: string) => void): Promise<number> {
  let wanted: Arguments;
  try {
    wanted = readArguments(args);
  } catch (thrown) {
    print(`fuzz: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return 2;
  }
  let failures = 0;
  for (const name of wanted.targets) {
    const result = await runCampaign({
      module: findModule(name),
      seed: wanted.seed,
      inputs: wanted.inputs,
      seconds: (wanted.minutes * 60) / wanted.targets.length,
      ...(wanted.input === null ? {} : { input: readFileSync(wanted.input) }),
    });
    print(formatSummary(name, result));
    if (result.failure === null) continue;
    failures += 1;
    reportFailure(name, result, wanted.output, print);
  }
  return failures === 0 ? 0 : 1;
}

function formatSummary(name: string, { inputs, seconds, reached, blocks, kept }: CampaignResult): string {
  const speed = seconds === 0 ? 0 : Math.round(inputs / seconds);
  return (
    `${name.padEnd(12)} ${String(inputs).padStart(8)} inputs, ${String(speed).padStart(6)} a second, ` +
    `${reached} of ${blocks} blocks, ${kept} inputs kept`
  );
}

/** Writes the failing input to a file and prints how to repeat it. */
function reportFailure(
  name: string,
  { guarantee, failure }: CampaignResult,
  folder: string,
  print: (line: string) => void,
): void {
  if (failure === null) return;
  const { message, input, smallest } = failure;
  mkdirSync(folder, { recursive: true });
  const stem = join(
    folder,
    `${nameTarget(name)}-${createHash("sha256").update(smallest).digest("hex").slice(0, 12)}`,
  );
  writeFileSync(stem, smallest);
  writeFileSync(`${stem}.found`, input);
  print(`\n${name}: this does not hold: ${guarantee}\n${message}\n`);
  print(`the smallest input of ${smallest.length} bytes (found with ${input.length}): ${shown(smallest)}`);
  print(`repeat it: npm run fuzz -- --target ${name} --input ${relative(process.cwd(), stem)}\n`);
}

function nameTarget(name: string): string {
  return name.replace(/^.*\/|\.ts$/g, "");
}

function shown(input: Uint8Array): string {
  return JSON.stringify(Buffer.from(input.subarray(0, 600)).toString("utf8"));
}

function findModule(name: string): string {
  const known = targets[name];
  if (known !== undefined) return known.module;
  if (name.endsWith(".ts") && existsSync(join(root, name))) return name;
  throw new Error(`there is no target ${name}; there are ${Object.keys(targets).join(", ")}`);
}

function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      target: { type: "string", multiple: true },
      seed: { type: "string", default: "1" },
      inputs: { type: "string" },
      minutes: { type: "string" },
      input: { type: "string" },
      output: { type: "string", default: join(root, "coverage", "fuzz-failures") },
    },
    allowPositionals: false,
  });
  const { target: names = Object.keys(targets), seed, inputs, minutes, input, output } = values;
  names.forEach(findModule);
  if (input !== undefined && names.length !== 1) throw new Error("--input needs one --target");
  if (input !== undefined && !existsSync(input)) throw new Error(`there is no file ${input}`);
  const lasting = minutes ?? (inputs === undefined ? "1" : "10000");
  return {
    targets: names,
    seed: readWhole("--seed", seed, 2 ** 31, 0),
    inputs: inputs === undefined ? Number.MAX_SAFE_INTEGER : readWhole("--inputs", inputs, 2 ** 31),
    minutes: readNumber("--minutes", lasting, 0.01, 10_000),
    input: input ?? null,
    output,
  };
}
