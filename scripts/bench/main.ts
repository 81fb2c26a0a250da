/**
 * `npm run bench [-- SECTION...]`: measures and prints, never judges. Each section runs what it compares side by side in one
 * run, since absolute times of a shared machine say little; quote the ratios and the medians.
 */
import { httpSection } from "./http.js";
import { startSection } from "./start.js";
import { printTable, type Row } from "./table.js";

const sections: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  start: startSection,
  http: httpSection,
};

const asked = process.argv.slice(2).filter((argument) => argument !== "--");
const unknown = asked.filter((name) => !Object.hasOwn(sections, name));
if (unknown.length > 0) {
  process.stderr.write(
    `unknown section ${unknown.join(", ")}; there are: ${Object.keys(sections).join(", ")}\n`,
  );
  process.exit(2);
}
for (const [name, measure] of Object.entries(sections)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  printTable(await measure());
}
