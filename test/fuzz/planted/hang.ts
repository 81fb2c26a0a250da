import type { FuzzTarget } from "../../../scripts/qa/fuzz/target.js";

/** Ends the process or never ends, by the first byte. */
export const target: FuzzTarget = {
  guarantee: "the parser ends",
  format: "bytes",
  bytesMax: 16,
  msMax: 5000,
  corpus: "planted",
  run(input) {
    if (input[0] === 0x78) process.abort();
    for (;;) if (input[0] === 0) break;
    return "ended";
  },
};
