/** Helpers for tests of the log of requests. */
import type { ManagedServer } from "../../../kit/server.js";
import { allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";

const messages = [{ role: "user", content: "Hello" }];
export const chat = { model: builtInModel, messages, max_tokens: 8 };
export const never = new Promise(() => undefined);

export type Logged = Readonly<Record<string, unknown>> & { readonly id: string };
export interface Page {
  readonly requests: readonly Logged[];
  readonly paginationToken?: string;
}

/** Creates a team that requires no credit, with a key. */
export async function aTeam(server: ManagedServer) {
  const teamId = await server.createTeam();
  await server.database.kysely
    .updateTable("teams")
    .set({ billing: "unmetered" })
    .where("id", "=", teamId)
    .execute();
  const { apiKey, apiKeyId } = await server.createKey(teamId, { acls: allAcls });
  return { teamId, apiKey, apiKeyId, manager: await server.createManagementKey({ teamId }) };
}

export const ask = (server: ManagedServer, key: string, body: object = chat, path = "/v1/chat/completions") =>
  server.request("POST", path, body, key);

export const list = async (server: ManagedServer, query = "", credential?: string): Promise<Page> =>
  (await server.request("GET", `/admin/requests${query}`, undefined, credential)).body as Page;

export const statuses = ({ requests }: Page) => requests.map(({ status }) => status);

/** Sends a request whose answer stops after its first word. @returns the log's entry once it runs. */
export async function running(
  server: ManagedServer,
  key: string,
  body: object,
  path = "/v1/chat/completions",
) {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...chat, ...body }),
  });
  const [logged] = (await list(server, "?status=running")).requests;
  if (logged === undefined) throw new Error("nothing runs");
  return { response, logged };
}
