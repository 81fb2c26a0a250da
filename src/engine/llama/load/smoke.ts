/**
 * Entry point of the child process that tries a model as the engine would use it: loads it, creates a small context, evaluates a short
 * prompt and samples one token. A defective file can crash only this process. Exit code 0: the model can be used; 1: it cannot, and
 * standard output says why in one line. The process exits at once when the server that started it exits.
 */
import { writeFileSync } from "node:fs";
import { getLlama, LlamaLogLevel, type Token } from "node-llama-cpp";
import { templateRenderers, timers } from "../../template/renderer.js";
import { loadResident } from "./resident.js";
import type { SmokeTask } from "./smoke-load.js";

const contextTokensMax = 256;
const promptTokensMax = 8;

process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", (task: SmokeTask) => {
  preferOomKill();
  tryModel(task).then(
    () => process.exit(0),
    (thrown: unknown) => process.stdout.write(`${reasonOf(thrown, task)}\n`, () => process.exit(1)),
  );
});

/** Makes the kernel end this process, not the server, when memory runs out. */
function preferOomKill(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Exists on Linux only.
  }
}

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
    clock: timers,
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

/** Returns the reason in one line, without the path. */
function reasonOf(thrown: unknown, { model }: SmokeTask): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const why = cause instanceof Error ? cause.message : String(cause);
  return why.replaceAll(model.path, model.manifest.file).replace(/\s+/g, " ");
}
