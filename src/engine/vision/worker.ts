/**
 * The vision worker thread. The runtime blocks it during a step, and terminating the thread then would end the whole process. So a
 * description checks between two steps whether it is aborted, and the thread is closed only when all calls have finished.
 */
import { workerData } from "node:worker_threads";
import type { NativeModelInfo } from "../../core/engine.js";
import type { ImageDescription } from "../../core/images/vision.js";
import { threadsFor } from "../worker/machine.js";
import { lowerThreadPriority } from "../worker/onnx-threads.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { threadClock } from "../worker/thread-clock.js";
import { hostWorker, logToClient, type WorkerCall } from "../worker/host.js";
import { loadFamily } from "./families.js";
import type { Stopped, VisionModel } from "./family.js";
import { readModelType } from "./model-files.js";
import type { VisionModelFiles, VisionReplies, VisionRequest, VisionSettings } from "./protocol.js";

const settings = workerData as VisionSettings;
/** Open models by load key. */
const models = new Map<string, VisionModel>();
const openRenderer = templateRenderers({
  clock: threadClock,
  workerUrl: new URL("../language/renderer/worker.js", import.meta.url),
  log: logToClient,
});

lowerThreadPriority("vision");
hostWorker<VisionRequest>({ answer, close });

function answer(request: VisionRequest, call: WorkerCall): Promise<VisionReplies[keyof VisionReplies]> {
  switch (request.type) {
    case "load":
      return load(request.model);
    case "unload":
      return unload(request.key);
    case "describe":
      return describe(request, () => call.isAborted());
  }
}

async function load({ key, folder, bytes }: VisionModelFiles): Promise<NativeModelInfo> {
  const open = await loadFamily(await readModelType(folder));
  const threads = settings.threads ?? threadsFor(bytes, settings.cores);
  models.set(key, await open(folder, { threads, openRenderer }));
  return { contextTokens: 0, slots: 1, device: "cpu" };
}

async function unload(key: string): Promise<void> {
  await models.get(key)?.dispose();
  models.delete(key);
}

async function describe(
  { key, image, options }: Extract<VisionRequest, { type: "describe" }>,
  stopped: Stopped,
): Promise<ImageDescription> {
  const model = models.get(key);
  if (model === undefined) throw new Error(`the model '${key}' is not loaded`);
  const descriptions = stopped() ? [] : [await model.describe(image, options.prompt ?? null, stopped)];
  if (options.detail === "high" && !stopped())
    descriptions.push(...(await model.describeDetails(image, stopped)));
  return joinDescriptions(descriptions);
}

function joinDescriptions(descriptions: readonly ImageDescription[]): ImageDescription {
  return {
    text: descriptions.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n"),
    tokens: descriptions.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

async function close(): Promise<void> {
  for (const key of [...models.keys()]) await unload(key);
}
