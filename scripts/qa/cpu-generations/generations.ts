/**
 * The CPU generations that the prebuilt engine has a library for, and which of them a CPU can run. A library needs every
 * instruction set it was compiled with; ggml names these sets in ggml/src/CMakeLists.txt (`ggml_add_cpu_backend_variant`).
 */
import { existsSync, readdirSync } from "node:fs";

export interface Generation {
  readonly name: string;
  /** Flags of /proc/cpuinfo that the CPU lacks; empty when it can run the library. null: not known what it needs. */
  readonly missing: readonly string[] | null;
}

const avx512 = ["avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"];
const ivybridge = ["sse4_2", "avx", "f16c"];
const piledriver = [...ivybridge, "fma"];
const haswell = [...piledriver, "avx2", "bmi2"];
const skylakex = [...haswell, ...avx512];
const cascadelake = [...skylakex, "avx512_vnni"];
const cooperlake = [...cascadelake, "avx512_bf16"];
const zen4 = [...cooperlake, "avx512vbmi"];

/** What each library needs, by the names that /proc/cpuinfo has for it. */
const neededFlags: ReadonlyMap<string, readonly string[]> = new Map([
  ["x64", []],
  ["sse42", ["sse4_2"]],
  ["sandybridge", ["sse4_2", "avx"]],
  ["ivybridge", ivybridge],
  ["piledriver", piledriver],
  ["haswell", haswell],
  ["alderlake", [...haswell, "avx_vnni"]],
  ["skylakex", skylakex],
  ["cannonlake", [...skylakex, "avx512vbmi"]],
  ["cascadelake", cascadelake],
  ["icelake", [...cascadelake, "avx512vbmi"]],
  ["cooperlake", cooperlake],
  ["zen4", zen4],
  ["sapphirerapids", [...zen4, "amx_tile", "amx_int8"]],
]);

/** Flags of the CPU, from the text of /proc/cpuinfo. */
export function cpuFlags(cpuInfo: string): ReadonlySet<string> {
  return new Set(/^flags\s*:(.*)$/m.exec(cpuInfo)?.[1]?.trim().split(/\s+/));
}

/** The file of a generation's library. */
export function nameLibrary(name: string): string {
  return `libggml-cpu-${name}.so`;
}

/** The generations that a folder of the prebuilt engine has a library for, simplest first; all known ones if it is not there. */
export function generationsIn(folder: string, flags: ReadonlySet<string>): readonly Generation[] {
  const files = existsSync(folder) ? readdirSync(folder) : [...neededFlags.keys()].map(nameLibrary);
  const names = files.flatMap((file) => /^libggml-cpu-(.+)\.so$/.exec(file)?.slice(1) ?? []);
  const order = [...neededFlags.keys()];
  const place = (name: string): number => (neededFlags.has(name) ? order.indexOf(name) : order.length);
  return names
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => ({
      name,
      missing: neededFlags.get(name)?.filter((flag) => !flags.has(flag)) ?? null,
    }));
}

/**
 * The generations asked for, or all of them when none is named.
 * @throws RangeError that lists the known ones when a name is unknown.
 */
export function chosen(generations: readonly Generation[], names: readonly string[]): readonly Generation[] {
  const known = generations.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new RangeError(`unknown CPU generation: ${unknown.join(", ")} (known: ${known.join(", ")})`);
  return names.length === 0 ? generations : generations.filter(({ name }) => names.includes(name));
}
