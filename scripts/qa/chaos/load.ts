/** The clients of all servers, while things go wrong. */
import { repeat, sendChat, startJobClients, type DrawnPrompt, type Load } from "../clients/load.js";
import type { Chance } from "../figures/chance.js";
import { tinyModel } from "../world/server.js";
import { nameSecret } from "../world/teams.js";
import { askFor, scriptedModel } from "./engine.js";
import { hammerLimits } from "./limited-keys.js";
import type { ChaosRecords } from "./records.js";
import { revokeKeys } from "./revoked-keys.js";
import { allTeams } from "./world.js";

export interface RunningLoad {
  readonly load: Load;
  /** Resolves when the last client has ended. */
  stop(): Promise<void>;
}

const chatClients = 6;

export function startLoad(servers: Load["servers"], records: ChaosRecords, chance: Chance): RunningLoad {
  let isOver = false;
  const keyOf = (teamId: string): string => nameSecret(0, teamId);
  const load = { servers, records, chance, teams: allTeams, getKey: keyOf, drawPrompt, isOver: () => isOver };
  const fork = (): Load => ({ ...load, chance: chance.fork() });
  const clients = [
    ...Array.from({ length: chatClients }, () => repeat(fork(), [100, 500], sendChat)),
    ...startJobClients(fork),
    repeat(fork(), [200, 1_000], (own) => revokeKeys(own, records)),
    hammerLimits(fork(), records),
  ];
  return {
    load,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** Most answers take half a second, some four. */
function drawPrompt(chance: Chance): DrawnPrompt {
  if (chance.happens(0.2)) return { model: tinyModel, text: "Say hello to the lamp.", tokensMax: 16 };
  const text = chance.happens(0.1) ? askFor(40, 100) : askFor(chance.between(1, 20), chance.between(0, 40));
  return { model: scriptedModel, text, tokensMax: 64 };
}
