/**
 * `npm run faults [-- --count 30 --seed 1 --from 1 --small]`: plants small faults in the committed state, one at a time and each in
 * another folder of `src`, and says which are found by the types and tests of `npm test`, and which of the others by `npm test -- --all`.
 * `--from` goes on with a run that was ended, `--small` leaves out `--all`, which takes ten minutes for each fault that the small size
 * misses. Only tests that the changed file can affect run. Exits with 1 where the small size finds fewer than 28 of 30, or `--all` not
 * all; with 2 for invalid arguments.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { root } from "./world/root.js";
import { chooseFaults } from "./faults/choose.js";
import { openTree, type CheckSize, type Tree } from "./faults/tree.js";
import type { PlantedFault } from "./faults/sites.js";
import { readWhole, runCommand } from "./world/options.js";

/** Part of the faults that the small size has to find. */
const smallShare = 28 / 30;

await runCommand("faults", readOptions, main);

async function main(options: ReturnType<typeof readOptions>): Promise<number> {
  const [draws = []] = fc.sample(fc.array(fc.nat(), { minLength: 1_000, maxLength: 1_000 }), {
    seed: options.seed,
    numRuns: 1,
  });
  let drawn = 0;
  const faults = chooseFaults(root, options.count, (below) => (draws[drawn++ % draws.length] ?? 0) % below);
  const tree = openTree(root);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      tree.close();
      process.exit(130);
    });
  try {
    return await tryFaults(tree, faults, options);
  } finally {
    tree.close();
  }
}

async function tryFaults(
  tree: Tree,
  faults: readonly PlantedFault[],
  { from, sizes }: ReturnType<typeof readOptions>,
): Promise<number> {
  const found = { small: 0, all: 0, none: 0 };
  for (const [at, fault] of faults.entries()) {
    if (at + 1 < from) continue;
    const began = performance.now();
    const { size, by } = await findFault(tree, fault, sizes);
    found[size] += 1;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const place = `${fault.path}:${fault.line} ${fault.what}`;
    process.stdout.write(
      `${at + 1} ${size.padEnd(5)} ${seconds.padStart(4)} s  ${place}\n             ${by}\n`,
    );
  }
  const { small, all, none } = found;
  process.stdout.write(
    `\n${small + all + none} faults: ${small} found by npm test, ${all} more by --all, ${none} by none\n`,
  );
  return small >= (small + all + none) * smallShare && none === 0 ? 0 : 1;
}

async function findFault(
  tree: Tree,
  fault: PlantedFault,
  sizes: readonly CheckSize[],
): Promise<{ readonly size: "small" | "all" | "none"; readonly by: string }> {
  for (const size of sizes) {
    const by = await tree.check(fault, size);
    if (by !== null) return { size, by };
  }
  return { size: "none", by: "" };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "30" },
      seed: { type: "string", default: "1" },
      from: { type: "string", default: "1" },
      small: { type: "boolean", default: false },
    },
    allowPositionals: false,
  });
  const sizes: readonly CheckSize[] = values.small ? ["small"] : ["small", "all"];
  return {
    count: readWhole("--count", values.count, 1_000),
    seed: readWhole("--seed", values.seed, 1_000),
    from: readWhole("--from", values.from, 1_000),
    sizes,
  };
}
