import { createCreditService } from "../../../../src/accounts/money/credits.js";
import { createSpendingService } from "../../../../src/accounts/money/spending-limits.js";
import { createRunStore } from "../../../../src/inference/run/store/runs.js";
import { systemRandom } from "../../../../src/system/clock.js";
import { completionRequest } from "../../../kit/ledger.js";
import { type ManagedServer, startServer } from "../../../kit/server.js";
import { type Answer, allAcls } from "../../../kit/server/management.js";

export interface Used {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly cost_in_usd_ticks: number;
}

/** A prepaid team with a management key and an API key; answers have two words. */
export async function world() {
  const server = await startServer({ accounts: "managed" });
  const teamId = await server.createTeam();
  const own = await server.createManagementKey({ teamId });
  const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
  const deps = { ...server.stores, clock: server.clock, random: systemRandom };
  return {
    ...{ ...server, teamId, own, apiKeyId },
    stores: { ...server.stores, runs: createRunStore(server.database) },
    credits: createCreditService(deps),
    limits: createSpendingService(deps),
    billing: (method: string, path: string, body?: object, credential = own): Promise<Answer> =>
      server.request(method, `/v1/billing/teams/${teamId}/${path}`, body, credential),
    topUp: (val: string): Promise<Answer> =>
      server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val } }),
    chat: (): Promise<Answer> => complete(server, apiKey),
    used: async (): Promise<Used> => ((await complete(server, apiKey)).body as { usage: Used }).usage,
  };
}

export function complete(server: ManagedServer, key: string): Promise<Answer> {
  return server.request("POST", "/v1/completions", completionRequest, key);
}
