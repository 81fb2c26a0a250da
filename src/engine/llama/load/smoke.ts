/**
 * Entry point of the child process that tries a model as the engine would use it: loads it, creates a small context, evaluates a short
 * prompt and samples one token. A defective file can crash only this process.
 */
import { getLlama, LlamaLogLevel, type Token } from "node-llama-cpp";
import { templateRenderers } from "../../template/renderer.js";
import { threadClock } from "../../thread-clock.js";
import { answerTrial } from "../../trial/child.js";
import { loadResident } from "./resident.js";
import type { SmokeTask } from "./smoke-load.js";

const contextTokensMax = 256;
const promptTokensMax = 8;

answerTrial<SmokeTask>(tryModel, (message, { model }) => message.replaceAll(model.path, model.manifest.file));

async function tryModel({ model, settings }: SmokeTask): Promise<void> {
  const llama = await getLlama({
    gpu: settings.gpu === "off" ? false : settings.gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads ?? settings.cores,
    logLevel: LlamaLogLevel.error,
  });
  const smallSettings = {
    ...settings,
    slotsPerModel: 1,
    contextTokensMax: Math.min(settings.contextTokensMax, contextTokensMax),
    prefillChunkTokens: promptTokensMax,
  };
  const openRenderer = templateRenderers({
    clock: threadClock,
    workerUrl: new URL("../../template/worker.js", import.meta.url),
    log: () => undefined,
  });
  const resident = await loadResident(llama, model, smallSettings, openRenderer);
  const prompt = resident.weights.tokenize("Hello!", false).slice(0, promptTokensMax);
  const tokens = prompt.length > 0 ? prompt : [0 as Token];
  const sampled = await resident.sequences[0]?.evaluate(tokens, { temperature: 0 }).next();
  if (sampled === undefined || sampled.done === true) throw new Error("it does not sample a token");
  await resident.dispose();
  await llama.dispose();
}
