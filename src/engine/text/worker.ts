/**
 * The thread of text models: owns the native library, answers for every model what its vocabulary and template say, and passes the other
 * calls to the engine that runs the model.
 */
import { workerData } from "node:worker_threads";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import { HearthError } from "../../core/errors.js";
import { loadKey } from "../../core/model.js";
import type { ModelLanguage } from "../language/language.js";
import { packTokens, type PackedTokens } from "../language/packed-tokens.js";
import { templateRenderers } from "../language/renderer/renderer.js";
import { LlamaHost } from "../llama/host.js";
import type { LlamaSettings } from "../llama/protocol.js";
import { RemoteHost } from "../remote/host.js";
import { hostWorker, logToClient, reportNews, type WorkerCall } from "../worker/host.js";
import { threadClock } from "../worker/thread-clock.js";
import type { TextReplies, TextRequest } from "./protocol.js";

type Reply = TextReplies[keyof TextReplies];

const settings = workerData as LlamaSettings;
const openRenderer = templateRenderers({
  clock: threadClock,
  workerUrl: new URL("../language/renderer/worker.js", import.meta.url),
  log: logToClient,
});
const parts = { openLibrary, openRenderer, reportNews };
const llama = new LlamaHost({ ...parts, settings, now: () => performance.now(), log: logToClient });
const remote = new RemoteHost(parts);
let library: Promise<Llama> | null = null;

hostWorker<TextRequest>({ answer, close, isStuck: () => llama.isStuck });

function answer(request: TextRequest, call: WorkerCall): Reply | Promise<Reply> {
  switch (request.type) {
    case "load":
      return (request.model.remote === undefined ? llama : remote).load(request.model);
    case "unload":
      return unload(loadKey(request.model));
    case "prompt": {
      const { prompts } = findLanguage(request.key);
      const { source } = request;
      return "prompt" in source ? prompts.buildRaw(source) : prompts.build(source);
    }
    case "tokenize":
      return tokenize(request.key, request.text);
    case "inputs": {
      const inputs = remote.findInputs(request.key) ?? llama.inputs(request.key);
      return inputs.tokenizeInputs(request.source, call.signal);
    }
    case "embed":
      return llama.embed(request.key, request.inputs, call);
    case "generate":
      return llama.generate(request.key, request.decode, call);
    case "generate-remote":
      return remote.generate(request, call);
  }
}

function findLanguage(key: string): ModelLanguage {
  return remote.findLanguage(key) ?? llama.language(key);
}

function tokenize(key: string, text: string): PackedTokens {
  const inputs = remote.findInputs(key);
  // Nothing asks for the bytes of an input's tokens.
  if (inputs !== null) return packTokens(inputs.tokenize(text), () => new Uint8Array());
  const { prompts, tokenBytes } = findLanguage(key);
  return packTokens(prompts.tokenize(text), (id) => tokenBytes.of(id));
}

/** No job may be running on the model. */
async function unload(key: string): Promise<void> {
  await remote.unload(key);
  await llama.unload(key);
}

function openLibrary(): Promise<Llama> {
  library ??= getLlama({
    gpu: settings.gpu === "off" ? false : settings.gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads ?? settings.cores,
    // Its warnings concern settings that are chosen deliberately here (padding, training length).
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => logToClient("error", message.trimEnd()),
  }).catch((thrown: unknown) => {
    library = null;
    throw new HearthError("model_unavailable", "The inference library could not be started.", {
      cause: thrown,
    });
  });
  return library;
}

async function close(): Promise<void> {
  await llama.close();
  await remote.close();
  if (library !== null) await library.then((opened) => opened.dispose()).catch(() => undefined);
}
