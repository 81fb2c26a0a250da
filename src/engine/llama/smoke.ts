/**
 * Entry point of the child process that tries a model as the engine would use it: loads it, creates a small context, evaluates a short
 * prompt and samples one token, or embeds one. A defective file can crash only this process.
 */
import { getLlama, LlamaLogLevel, type Llama, type Token } from "node-llama-cpp";
import type { Model } from "../../core/model.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { threadClock } from "../worker/thread-clock.js";
import { answerTrial } from "../trial/child.js";
import { StepWatch } from "./step-watch.js";
import { loadEmbedder } from "./embed/embedder.js";
import type { LlamaSettings } from "./protocol.js";
import { plainLoading, type LoadPlainly } from "../native/plain-weights.js";
import { loadResident } from "./load/resident.js";
import type { SmokeTask } from "./smoke-load.js";

const contextTokensMax = 256;
const promptTokensMax = 8;

answerTrial<SmokeTask>(tryModel, (message, { model }) => message.replaceAll(model.path, model.manifest.file));

async function tryModel({ model: wholeModel, settings }: SmokeTask): Promise<void> {
  const loadPlainly = plainLoading(settings.nativeFolder);
  const llama = await getLlama({
    gpu: settings.gpu === "off" ? false : settings.gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads ?? settings.cores,
    logLevel: LlamaLogLevel.error,
  });
  const model = { ...wholeModel, load: { ...wholeModel.load, slots: 1 } };
  const smallSettings = {
    ...settings,
    contextTokensMax: Math.min(settings.contextTokensMax, contextTokensMax),
    prefillChunkTokens: promptTokensMax,
  };
  if (model.manifest.kind === "chat") await tryChatModel(llama, model, smallSettings, loadPlainly);
  else await (await loadEmbedder(llama, model, smallSettings, loadPlainly)).dispose();
  await llama.dispose();
}

async function tryChatModel(
  llama: Llama,
  model: Model,
  settings: LlamaSettings,
  loadPlainly: LoadPlainly,
): Promise<void> {
  const openRenderer = templateRenderers({
    clock: threadClock,
    workerUrl: new URL("../language/renderer/worker.js", import.meta.url),
    log: () => undefined,
  });
  const resident = await loadResident(llama, model, settings, {
    openRenderer,
    chooseThreads: null,
    loadPlainly,
    steps: new StepWatch(() => threadClock.now()),
  });
  const prompt = resident.weights.tokenize("Hello!", false).slice(0, promptTokensMax);
  const tokens = prompt.length > 0 ? prompt : [0 as Token];
  const sampled = await resident.sequences[0]?.evaluate(tokens, { temperature: 0 }).next();
  if (sampled === undefined || sampled.done === true) throw new Error("it does not sample a token");
  await resident.dispose();
}
