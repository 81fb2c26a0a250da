/**
 * The thread that draws. The runtime blocks it for as long as a step takes, and must never be ended inside one: that ends the
 * whole process. So it looks at a shared number between steps, and ends by itself when it is told to.
 */
import { parentPort, workerData } from "node:worker_threads";
import { giveWay } from "../onnx-threads.js";
import { openPainter, type Painter } from "./painter.js";
import type { Report, Work, WorkerData } from "./protocol.js";
import { Unusable } from "./unusable.js";

const { stop } = workerData as WorkerData;
/** By folder. */
const painters = new Map<string, Painter>();

class Stopped extends Error {}

giveWay("drawing");
parentPort?.on("message", (work: Work) => {
  void answer(work);
});

async function answer(work: Work): Promise<void> {
  try {
    tell(await done(work));
  } catch (thrown) {
    if (thrown instanceof Stopped) tell({ type: "stopped" });
    else tell({ type: "failed", message: messageOf(thrown), isPublic: thrown instanceof Unusable });
  }
  if (work.type === "end") parentPort?.close();
}

async function done(work: Work): Promise<Report> {
  switch (work.type) {
    case "open": {
      const painter = await openPainter(work.folder, work.options);
      painters.set(work.folder, painter);
      return { type: "opened", canvas: painter.canvas };
    }
    case "paint": {
      const painter = painters.get(work.folder);
      if (painter === undefined) throw new Error("it is not open");
      const painting = await painter.paint(work.sketch, goOn, () => tell({ type: "step" }));
      return { type: "painted", painting };
    }
    case "release":
      await release(work.folder);
      return { type: "released" };
    case "end":
      for (const folder of [...painters.keys()]) await release(folder);
      return { type: "released" };
  }
}

async function release(folder: string): Promise<void> {
  const painter = painters.get(folder);
  painters.delete(folder);
  await painter?.release();
}

function goOn(): void {
  if (Atomics.load(stop, 0) !== 0) throw new Stopped();
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function tell(report: Report): void {
  if (report.type === "painted") parentPort?.postMessage(report, [report.painting.pixels.buffer]);
  else parentPort?.postMessage(report);
}
