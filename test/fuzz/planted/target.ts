import type { FuzzTarget } from "../../../scripts/qa/fuzz/target.js";
import { parsePlanted } from "./parse.js";

export const target: FuzzTarget = {
  guarantee: "the parser never throws",
  format: "bytes",
  bytesMax: 16,
  msMax: 5000,
  corpus: "planted",
  seeds: () => [Buffer.from("seed seed")],
  run(input) {
    parsePlanted(input);
    return "parsed";
  },
};
