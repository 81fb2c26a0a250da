/** The command line of a program of this folder. */

/**
 * Runs a program and sets the exit code of this process: what `run` returns; 2, after one sentence on standard error, for options that
 * `read` rejects.
 * @param read returns the options. @throws Error with one sentence
 */
export async function runCommand<Options>(
  name: string,
  read: () => Options,
  run: (options: Options) => number | Promise<number>,
): Promise<void> {
  let options: Options;
  try {
    options = read();
  } catch (thrown) {
    process.stderr.write(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 2;
    return;
  }
  process.exitCode = await run(options);
}

/** Returns the whole number, from 1, that an option has. @throws Error with one sentence */
export function readWhole(option: string, text: string, most: number, least = 1): number {
  const value = Number(text);
  if (text === "" || !Number.isInteger(value) || value < least || value > most)
    throw new Error(`${option} must be a whole number from ${least} to ${most}`);
  return value;
}

/** Returns the number that an option has. @throws Error with one sentence */
export function readNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text === "" || !(value >= least && value <= most))
    throw new Error(`${option} must be a number from ${least} to ${most}`);
  return value;
}

/** Returns the names of a list with commas; none for "". @throws Error with one sentence for a name that is not known */
export function readNames<Name extends string>(
  option: string,
  text: string,
  known: readonly Name[],
): readonly Name[] {
  return text
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const found = known.find((each) => each === name);
      if (found === undefined) throw new Error(`${option}: '${name}' is none of ${known.join(", ")}`);
      return found;
    });
}
