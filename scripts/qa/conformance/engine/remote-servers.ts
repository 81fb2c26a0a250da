/**
 * The servers of `npm run conformance -- --engine llama-server`: the built-in chat model runs on a true llama-server; scripted models on a
 * server that speaks its protocol.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { availableParallelism } from "node:os";
import {
  builtIn,
  requireLlamaServer,
  spawnLlamaServer,
  type LlamaServer,
} from "../../../../test/kit/doubles/llama-server/process.js";
import { atEnd, stopProcess } from "../../world/processes.js";
import { createScriptedModel, type ScriptOfTools } from "../model.js";
import { contextTokens, modelId, slots, startRecorded, type Servers } from "../server.js";
import { startScriptedLlamaServer, type ScriptedLlamaServer } from "./scripted-llama-server.js";

/** @throws Error where there is no llama-server */
export function remoteServers(): Servers {
  requireLlamaServer();
  const started: LlamaServer[] = [];
  const start = async (): Promise<LlamaServer> => {
    const options = { ...builtIn, threads: availableParallelism() };
    const server = await spawnLlamaServer(builtIn.file, options, atEnd);
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
    builtIn: async () => startRecorded({ HEARTH_ENGINES: enginesAt((await start()).url) }, {}),
    onLlamaServer: true,
    async close() {
      for (const server of started) await stopProcess(server.child);
    },
  };
}

async function startOverScript(script: ScriptOfTools) {
  const engine: ScriptedLlamaServer = await startScriptedLlamaServer(builtIn.file, script, {
    contextTokens,
    slots,
  });
  const server = await startRecorded({ HEARTH_ENGINES: enginesAt(engine.url) }, {}, writeLongModel);
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
  symlinkSync(builtIn.file, join(place, "model.gguf"));
  writeFileSync(
    join(place, "manifest.json"),
    JSON.stringify({ id: modelId, file: "model.gguf", contextTokens }),
  );
}

function enginesAt(url: string): string {
  return JSON.stringify([{ kind: "llama-server", url, models: [modelId] }]);
}
