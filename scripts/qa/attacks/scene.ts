/** One server with everything that is attacked: a year of usage, models of every kind, engines that misbehave. */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../world/root.js";
import { writeModel } from "../../../test/kit/models/gguf-writer.js";
import { writeBenchModel } from "../world/models.js";
import { scratchFolder } from "../world/processes.js";
import { firstKey, tinyModel, spawnServer, type ServerProcess } from "../world/server.js";
import { runLedgerVerify } from "../checks/ledger-verify.js";
import { fetchJson } from "../world/ask.js";
import { writeConfig } from "../world/config.js";
import { startEngines } from "./attackers.js";
import { hostileModels } from "./hostile-engine.js";
import { fillHistory } from "./history.js";
import type { AttackTarget } from "./target.js";

export interface AttackScene extends AttackTarget {
  /** The model of the ordinary clients. */
  readonly streamModel: string;
  /** Ends the server. @returns how long that took, and what its ledger has for problems; null where it has none */
  stopAndVerify(): Promise<{ readonly stopMs: number; readonly problems: string | null }>;
  close(): Promise<void>;
}

const managementKey = "hm-key-of-the-operator-under-attack";
const smallModelCount = 24;

export async function createScene(runs: number): Promise<AttackScene> {
  const folder = scratchFolder();
  const models = join(folder.path, "models");
  const streamModel = await writeBenchModel("small");
  const smallModels = await writeModels(models, streamModel.file, streamModel.id);
  const engine = await startEngines();
  const hostile = Object.keys(hostileModels);
  const engines = [
    {
      kind: "openai",
      url: engine.url,
      models: hostile.map((id) => ({ id, name: id, contextTokens: 32_768 })),
    },
    { kind: "llama-server", url: engine.silentUrl, models: ["silent"] },
  ];
  const settings = {
    HEARTH_MODELS: models,
    HEARTH_DATA: join(folder.path, "data"),
    HEARTH_CONFIG: writeConfig(folder.path, [...hostile, tinyModel], { engines }),
    HEARTH_MANAGEMENT_KEY: managementKey,
    HEARTH_SLOTS_PER_MODEL: "8",
    HEARTH_CONTEXT_TOKENS_MAX: "4096",
  };
  const first = await spawnServer(settings);
  const teamId = await readTeamId(first);
  await first.stop();
  fillHistory(join(settings.HEARTH_DATA, "hearth.db"), teamId, runs);
  const server = await spawnServer(settings);
  return {
    url: server.url,
    key: firstKey,
    managementKey,
    teamId,
    builtInModel: tinyModel,
    smallModels,
    hostileModels: hostile,
    silentModel: "silent",
    streamModel: streamModel.id,
    async stopAndVerify() {
      const began = performance.now();
      await server.stop();
      const stopMs = performance.now() - began;
      return { stopMs, problems: await runLedgerVerify(settings) };
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
  cpSync(join(root, "models", tinyModel), join(folder, tinyModel), { recursive: true });
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

async function readTeamId({ url, key }: ServerProcess): Promise<string> {
  const { team_id: teamId } = await fetchJson<{ team_id: string }>(`${url}/v1/api-key`, { key });
  return teamId;
}
