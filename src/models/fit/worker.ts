/** A thread that reads memory as fast as it can, for bandwidth.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { phases, type BandwidthTask } from "./bandwidth-task.js";

const { phase: shared, bytesPerBuffer } = workerData as BandwidthTask;
const phase = new Int32Array(shared);
const chunkBytes = 1024 * 1024;
// Two equal buffers: comparing them reads both to the end, in native code. Filling them has the system assign the memory.
const [first, second] = [Buffer.alloc(bytesPerBuffer, 1), Buffer.alloc(bytesPerBuffer, 1)];

parentPort?.postMessage("ready");
Atomics.wait(phase, 0, phases.wait);
let compared = 0;
// At least once: on a busy machine, a thread may wake when the time is over.
do {
  const at = compared % bytesPerBuffer;
  first.compare(second, at, at + chunkBytes, at, at + chunkBytes);
  compared += chunkBytes;
} while (Atomics.load(phase, 0) === phases.read);
parentPort?.postMessage(2 * compared);
