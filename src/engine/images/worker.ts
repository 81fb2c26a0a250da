/**
 * The image worker thread. The runtime blocks it during a step, and terminating the thread then would end the whole process. So a job
 * checks between two steps whether it is aborted, and the thread is closed only when all calls have finished.
 */
import { HearthError } from "../../core/errors.js";
import { lowerThreadPriority } from "../worker/onnx-threads.js";
import { hostWorker, reportNews, TransferredResult, type WorkerCall } from "../worker/host.js";
import { openImageModel, type OpenedImageModel, type ImageModelOptions } from "./image-model.js";
import type { ImageRequest, StepNews } from "./protocol.js";
import type { SupportedSizes } from "./size.js";
import { UnusableModelError } from "./unusable-model.js";

/** Open models by folder. */
const models = new Map<string, OpenedImageModel>();

lowerThreadPriority("images");
hostWorker<ImageRequest>({ answer, close });

function answer(request: ImageRequest, call: WorkerCall): Promise<SupportedSizes | TransferredResult | void> {
  switch (request.type) {
    case "open":
      return open(request.folder, request.options);
    case "generate":
      return generate(request, call);
    case "release":
      return release(request.folder);
  }
}

/** @throws HearthError `model_unavailable` whose message is the public reason, as a clause. */
async function open(folder: string, options: ImageModelOptions): Promise<SupportedSizes> {
  try {
    const model = await openImageModel(folder, options);
    models.set(folder, model);
    return model.sizes;
  } catch (thrown) {
    if (thrown instanceof UnusableModelError) throw new HearthError("model_unavailable", thrown.message);
    throw thrown;
  }
}

async function generate(
  { folder, job }: Extract<ImageRequest, { type: "generate" }>,
  call: WorkerCall,
): Promise<TransferredResult> {
  const model = models.get(folder);
  if (model === undefined) throw new Error("the model is not open");
  const checkAborted = (): void => {
    if (call.isAborted()) throw new Error("the job was aborted");
  };
  const news: StepNews = { type: "step" };
  const image = await model.generate(job, checkAborted, () => reportNews([{ id: call.id, news }]));
  return new TransferredResult(image, [image.pixels.buffer]);
}

async function release(folder: string): Promise<void> {
  const model = models.get(folder);
  models.delete(folder);
  await model?.release();
}

async function close(): Promise<void> {
  for (const folder of [...models.keys()]) await release(folder);
}
