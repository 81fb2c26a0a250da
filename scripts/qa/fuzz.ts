/**
 * `npm run fuzz [-- --minutes M --inputs N --seed S --target T]`: fuzzes the targets of scripts/qa/fuzz/targets.ts, guided by coverage,
 * for M minutes in all (default 1) or with N inputs each. Each begins with the inputs in test/fuzz/corpus/, and keeps in memory what
 * reaches something new. Exits with 1 when a guarantee does not hold, writes the input to coverage/fuzz-failures/ and prints the
 * command that repeats it: `--target T --input FILE` runs that one input. Exits with 2 for invalid arguments.
 */
import { fuzz } from "./fuzz/command.js";

process.exitCode = await fuzz(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
