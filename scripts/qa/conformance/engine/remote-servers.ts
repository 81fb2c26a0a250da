/**
 * The servers of `npm run conformance -- --engine llama-server`: the built-in chat model runs on a true llama-server; scripted models on a
 * server that speaks its protocol.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { llamaServerProgram } from "../../../../test/kit/doubles/llama-server/program.mjs";
import { startLlamaServer, type LlamaServer } from "../../world/llama-server.js";
import { createScriptedModel, type ScriptOfTools } from "../model.js";
import { contextTokens, modelId, slots, startServer, type Servers } from "../server.js";
import { startScriptedLlamaServer, type ScriptedLlamaServer } from "./scripted-llama-server.js";

const modelFile = fileURLToPath(new URL(`../../../../models/${modelId}/${modelId}.gguf`, import.meta.url));
/** Of the built-in model, with the scaling that its manifest names. */
const builtInTokens = 8192;
const scaling = { "--rope-scaling": "yarn", "--rope-scale": 4, "--yarn-orig-ctx": 2048 };
const builtInSlots = 4;

/** @throws Error where there is no llama-server */
export function remoteServers(): Servers {
  const program = llamaServerProgram();
  if (program === null) throw new Error("there is no llama-server; `npm run build:llama-server` builds it");
  const started: LlamaServer[] = [];
  const start = async (): Promise<LlamaServer> => {
    const server = await startLlamaServer(program, {
      "--model": modelFile,
      "--parallel": builtInSlots,
      "--ctx-size": builtInSlots * builtInTokens,
      "--cache-ram": 0,
      ...scaling,
    });
    started.push(server);
    return server;
  };
  return {
    async conformance() {
      const model = createScriptedModel();
      const { server, engine } = await startOverScript(model.script);
      return { ...server, model, active: () => engine.active() };
    },
    scripted: async (script) => (await startOverScript(script)).server,
    builtIn: async () => startServer({ HEARTH_ENGINES: enginesAt((await start()).url) }, {}),
    onLlamaServer: true,
    async close() {
      for (const server of started) await server.close();
    },
  };
}

async function startOverScript(script: ScriptOfTools) {
  const engine: ScriptedLlamaServer = await startScriptedLlamaServer(modelFile, script, {
    contextTokens,
    slots,
  });
  const server = await startServer({ HEARTH_ENGINES: enginesAt(engine.url) }, {}, writeLongModel);
  return {
    engine,
    server: {
      ...server,
      async close() {
        await server.close();
        await engine.close();
      },
    },
  };
}

/** Writes the built-in model with a context in which the prompts of agents have place. */
function writeLongModel(folder: string): void {
  const place = join(folder, modelId);
  mkdirSync(place);
  symlinkSync(modelFile, join(place, "model.gguf"));
  writeFileSync(
    join(place, "manifest.json"),
    JSON.stringify({ id: modelId, file: "model.gguf", contextTokens }),
  );
}

function enginesAt(url: string): string {
  return JSON.stringify([{ kind: "llama-server", url, models: [modelId] }]);
}
