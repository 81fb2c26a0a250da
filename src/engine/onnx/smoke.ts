/**
 * Entry point of the child process that opens an image or vision model as its engine would, and closes it again. A defective file can
 * crash only this process, which has a low priority.
 */
import { lowerThreadPriority } from "../worker/onnx-threads.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { threadClock } from "../worker/thread-clock.js";
import { answerTrial } from "../trial/child.js";
import type { OnnxTask } from "./trials.js";

const threads = 1;

const openRenderer = templateRenderers({
  clock: threadClock,
  workerUrl: new URL("../language/renderer/worker.js", import.meta.url),
  log: () => undefined,
});

lowerThreadPriority("images");
answerTrial(tryModel, (message, { folder }) => withoutPaths(message.replaceAll(folder, "")));

async function tryModel({ kind, folder, drawing }: OnnxTask): Promise<void> {
  if (kind === "image") {
    const { openImageModel } = await import("../images/image-model.js");
    await (await openImageModel(folder, { threads, drawing })).release();
    return;
  }
  const { loadFamily } = await import("../vision/families.js");
  const { readModelType } = await import("../vision/model-files.js");
  const open = await loadFamily(await readModelType(folder));
  await (await open(folder, { threads, openRenderer })).dispose();
}

/** Leaves the last name of each path: messages of the runtime name its sources. */
function withoutPaths(message: string): string {
  const reason = message.replace(/(?:[\w.+-]*\/)+(?=[\w.+-])/g, "");
  return reason.startsWith("its ") ? reason : `its files are not what its family needs: ${reason}`;
}
