/**
 * Removes the folder named on the command line when standard input ends, that is when the process that writes to it has ended.
 * Each line is the process group that works in the folder from then on; an empty line means none.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: remove-behind.ts FOLDER");

let group = "";
for await (const line of createInterface({ input: process.stdin })) group = line;
if (group !== "") endGroup(Number(group));
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH")) throw thrown;
  }
}
