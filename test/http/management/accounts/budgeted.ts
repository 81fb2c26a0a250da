/** Helpers for tests of budgets: a team with a key, and requests whose cost is known. */
import { expect } from "vitest";
import type { ManagedServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";

/** Prices of the built-in model, in ticks. The scripted engine has one token for a word of a prompt and one for each text. */
export const prices = { prompt: 100, completion: 400 } as const;
export const usd = (ticks: number) => (ticks / 1e10).toFixed(10);

export interface Side {
  readonly teamId: string;
  readonly keyId: string;
  readonly secret: string;
}

export async function aSide(server: ManagedServer): Promise<Side> {
  const teamId = await server.createTeam();
  await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
  const { apiKeyId, apiKey } = await server.createKey(teamId, { acls: allAcls });
  return { teamId, keyId: apiKeyId, secret: apiKey };
}

/** Three prompt tokens, at most `tokens` others. */
export function complete({ url }: ManagedServer, { secret }: Side, tokens = 4): Promise<Response> {
  return fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: builtInModel, prompt: "one two three", max_tokens: tokens }),
  });
}

export const set = (server: ManagedServer, { teamId }: Side, body: object, credential?: string) =>
  server.request("PUT", `/auth/teams/${teamId}/budgets`, body, credential);

export const errorOf = async (response: Response) =>
  ((await response.json()) as { readonly error: { readonly message: string } }).error;

export const verified = async ({ stores }: ManagedServer) => expect(await stores.ledger.verify()).toEqual([]);
