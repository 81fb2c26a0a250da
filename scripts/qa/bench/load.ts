/**
 * `npm run bench -- load [--requests N]`: measures memory growth over many requests, the time until the slot
 * of a disconnected client is free, the event loop lag, and what costly schemas and the largest bodies cost other
 * clients. Everything is measured from outside, over HTTP and /proc.
 */
import { bodyRows } from "./load/bodies.js";
import { leavingRows } from "./load/leaving.js";
import { memoryRows } from "./load/memory.js";
import { neighbourRows } from "./load/neighbours.js";
import type { SectionOptions } from "./options.js";
import type { Row } from "../figures/table.js";

export async function* loadSection({ requests }: SectionOptions): AsyncGenerator<readonly Row[]> {
  yield await memoryRows(requests);
  yield await leavingRows();
  yield await neighbourRows();
  yield await bodyRows();
}
