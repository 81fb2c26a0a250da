/** One server with everything that is attacked: a year of usage, models of every kind, engines that misbehave. */
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeModel } from "../../../test/kit/models/gguf-writer.js";
import { benchModel as streamModelOf } from "../world/models.js";
import { scratchFolder } from "../world/processes.js";
import { benchKey, benchModel, startServer, type BenchServer } from "../world/server.js";
import { startEngines } from "./attackers.js";
import { hostileModels, type EngineUrls } from "./hostile-engine.js";
import { fillHistory } from "./history.js";
import type { Target } from "./target.js";

export interface Scene extends Target {
  /** The model of the ordinary clients. */
  readonly streamModel: string;
  /** Ends the server, and checks its ledger. */
  stopAndVerify(): Promise<{ readonly verified: boolean; readonly said: string; readonly stopMs: number }>;
  close(): Promise<void>;
}

const managementKey = "hm-key-of-the-operator-under-attack";
const smallModelCount = 24;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const program = join(root, "dist/main.js");

export async function createScene(runs: number): Promise<Scene> {
  const folder = scratchFolder();
  const models = join(folder.path, "models");
  const streamModel = await streamModelOf("small");
  const smallModels = await writeModels(models, streamModel.file, streamModel.id);
  const engine = await startEngines();
  const settings = {
    HEARTH_MODELS: models,
    HEARTH_DATA: join(folder.path, "data"),
    HEARTH_CONFIG: writeConfig(folder.path, engine),
    HEARTH_MANAGEMENT_KEY: managementKey,
    HEARTH_SLOTS_PER_MODEL: "8",
    HEARTH_CONTEXT_TOKENS_MAX: "4096",
  };
  const first = await startServer(settings);
  const teamId = await readTeamId(first);
  await first.stop();
  fillHistory(join(settings.HEARTH_DATA, "hearth.db"), teamId, runs);
  const server = await startServer(settings);
  return {
    url: server.url,
    key: benchKey,
    managementKey,
    teamId,
    builtInModel: benchModel,
    smallModels,
    hostileModels: Object.keys(hostileModels),
    silentModel: "silent",
    streamModel: streamModel.id,
    async stopAndVerify() {
      const began = performance.now();
      await server.stop();
      const stopMs = performance.now() - began;
      return { ...(await verifyBooks(settings)), stopMs };
    },
    async close() {
      await server.stop();
      engine.close();
      folder.remove();
    },
  };
}

/** Writes the folder of models, in which not everything is a model. @returns the ids of the small ones */
async function writeModels(folder: string, streamFile: string, streamId: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(streamFile, join(folder, `${streamId}.gguf`));
  cpSync(join(root, "models", benchModel), join(folder, benchModel), { recursive: true });
  const ids = Array.from({ length: smallModelCount }, (_, at) => `small-${at}`);
  for (const id of [...ids, "silent"])
    await writeModel(join(folder, `${id}.gguf`), {
      name: id,
      contextLength: 2_048,
      layers: 2,
      embedding: 256,
    });
  mkdirSync(join(folder, "pipes"));
  execFileSync("mkfifo", ["pipe.gguf", "pipes/model.gguf", "pipes/config.json"], { cwd: folder });
  return ids;
}

function writeConfig(folder: string, engine: EngineUrls): string {
  const models = Object.keys(hostileModels).map((id) => ({ id, name: id, contextTokens: 32_768 }));
  const prices = Object.fromEntries(models.map(({ id }) => [id, { prices: { prompt: 2, completion: 8 } }]));
  const file = join(folder, "hearth.yaml");
  // JSON is YAML, too.
  const written = {
    engines: [
      { kind: "openai", url: engine.url, models },
      { kind: "llama-server", url: engine.silentUrl, models: ["silent"] },
    ],
    models: { ...prices, [benchModel]: { prices: { prompt: 2, completion: 8 } } },
  };
  writeFileSync(file, JSON.stringify(written));
  return file;
}

async function readTeamId({ url, key }: BenchServer): Promise<string> {
  const answer = await fetch(`${url}/v1/api-key`, { headers: { authorization: `Bearer ${key}` } });
  const { team_id: teamId } = (await answer.json()) as { team_id: string };
  return teamId;
}

async function verifyBooks(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly verified: boolean; readonly said: string }> {
  const environment = { PATH: process.env["PATH"], ...settings };
  const child = spawn(process.execPath, [program, "ledger", "verify"], { env: environment });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "exit")) as [number | null];
  return { verified: code === 0, said };
}
