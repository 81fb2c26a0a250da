/**
 * `npm run bench -- load [--requests N]`: what is left behind by many requests, how soon the slot of a client that left is
 * free, and how long the server's event loop is held up meanwhile. All of it is seen from outside, over HTTP and /proc.
 */
import { leavingRows } from "./load/leaving.js";
import { memoryRows } from "./load/memory.js";
import type { SectionOptions } from "./options.js";
import type { Row } from "./table.js";

export async function* loadSection({ requests }: SectionOptions): AsyncGenerator<readonly Row[]> {
  yield await memoryRows(requests);
  yield await leavingRows();
}
