/** Loaded into a server by `--import`: at SIGUSR2 its clock jumps by as many milliseconds as the file CHAOS_CLOCK says. */
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["CHAOS_CLOCK"];

if (isMainThread && file !== undefined) {
  const now = Date.now;
  let shiftMs = 0;
  Date.now = () => now() + shiftMs;
  process.on("SIGUSR2", () => {
    shiftMs = Number(readFileSync(file, "utf8"));
  });
}
