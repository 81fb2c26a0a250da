import { once } from "node:events";
import { getPriority, platform } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";

const compiled = new URL("../../../dist/engine/worker/onnx-threads.js", import.meta.url).href;

/** Posts the niceness of the thread and of a thread started from it. */
const program = `
  const { getPriority } = require("node:os");
  const { parentPort, Worker } = require("node:worker_threads");
  const tell = 'require("node:worker_threads").parentPort.postMessage(require("node:os").getPriority(0))';
  import(${JSON.stringify(compiled)}).then(({ lowerThreadPriority }) => {
    lowerThreadPriority("vision");
    new Worker(tell, { eval: true }).once("message", (below) => parentPort.postMessage([getPriority(0), below]));
  });
`;

it.runIf(platform() === "linux")(
  "lowers the priority of a thread and of the threads it starts, and of no other thread (on Linux)",
  async () => {
    const before = getPriority(0);
    const worker = new Worker(program, { eval: true });
    const [told] = (await once(worker, "message")) as [readonly number[]];
    const given = Math.min(19, before + 5);
    expect(told).toEqual([given, given]);
    expect(getPriority(0)).toBe(before);
    await worker.terminate();
  },
);
