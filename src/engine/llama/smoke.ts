/**
 * Entry point of the child process that tries a model as the engine would use it: loads it, creates a small context, evaluates a short
 * prompt and samples one token, or embeds one. A defective file can crash only this process.
 */
import { getLlama, LlamaLogLevel, type Llama, type LlamaContextSequence, type Token } from "node-llama-cpp";
import type { Model } from "../../core/model.js";
import { placeholderMin, type Medium } from "../../core/prompt/media.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { threadClock } from "../worker/thread-clock.js";
import { answerTrial } from "../trial/child.js";
import { StepWatch } from "./step-watch.js";
import { loadEmbedder } from "./embed/embedder.js";
import type { LlamaSettings } from "./protocol.js";
import { plainLoading, type LoadPlainly } from "../native/plain-weights.js";
import { openMediaSupport, type MediaSupport } from "./media/open-projector.js";
import { MediumEvaluation } from "./media/medium-evaluation.js";
import type { Projector } from "./media/projector.js";
import { loadResident, type Resident } from "./load/resident.js";
import type { SmokeTask } from "./smoke-load.js";

const contextTokensMax = 256;
const promptTokensMax = 8;

answerTrial<SmokeTask>(tryModel, (message, { model }) => message.replaceAll(model.path, model.manifest.file));

async function tryModel({ model: wholeModel, settings }: SmokeTask): Promise<void> {
  const media = openMediaSupport(settings.nativeFolder);
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
  if (model.manifest.kind === "chat") await tryChatModel(llama, model, smallSettings, { loadPlainly, media });
  else await (await loadEmbedder(llama, model, smallSettings, { loadPlainly, hooks: media.hooks })).dispose();
  await llama.dispose();
}

async function tryChatModel(
  llama: Llama,
  model: Model,
  settings: LlamaSettings,
  { loadPlainly, media }: { readonly loadPlainly: LoadPlainly; readonly media: MediaSupport },
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
    media,
    steps: new StepWatch(() => threadClock.now()),
  });
  const prompt = resident.weights.tokenize("Hello!", false).slice(0, promptTokensMax);
  const tokens = prompt.length > 0 ? prompt : [0 as Token];
  const sampled = await resident.sequences[0]?.evaluate(tokens, { temperature: 0 }).next();
  if (sampled === undefined || sampled.done === true) throw new Error("it does not sample a token");
  await tryProjector(resident);
  await resident.dispose();
}

/** Reads a small image, or a second of silence. */
async function tryProjector({ model, projector, projectorProblem, sequences }: Resident): Promise<void> {
  if (model.load?.projector === undefined) return;
  if (projector === null) throw new Error(projectorProblem ?? "its projector cannot be used");
  const { images, sampleRate } = projector.reads;
  const [sequence] = sequences;
  if (sequence === undefined) throw new Error("it has no sequence");
  await sequence.clearHistory();
  if (images) await readFirstPart(projector, sequence, smallImage);
  await sequence.clearHistory();
  if (sampleRate !== null)
    await readFirstPart(projector, sequence, {
      type: "sound",
      pcm: new Float32Array(sampleRate),
      digest: "",
    });
}

/** Evaluates the first part of a medium. */
async function readFirstPart(
  projector: Projector,
  sequence: LlamaContextSequence,
  medium: Medium,
): Promise<void> {
  const { parts } = await projector.layOut(medium, `the ${medium.type} of the trial`);
  const [first] = parts;
  if (first === undefined) throw new Error("its projector reads nothing of an image or sound");
  const placeholders = Array.from({ length: first.positions }, () => placeholderMin as Token);
  const start = { teamId: "", medium, part: { ...first, medium: 0 }, placeholders };
  const evaluation = new MediumEvaluation(projector, sequence, start);
  while (!(await evaluation.step({ ms: 1000, cellsMax: promptTokensMax })));
}

const smallSide = 64;
const smallImage: Medium = {
  type: "image",
  width: smallSide,
  height: smallSide,
  rgb: new Uint8Array(smallSide * smallSide * 3).fill(128),
  digest: "",
};
