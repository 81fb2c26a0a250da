/** Helpers for tests of what teams have stored. */
import type { ManagedServer } from "../../../kit/server.js";
import { type Answer, allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";

const chat = { model: builtInModel, messages: [{ role: "user", content: "Hello" }], max_tokens: 8 };

export type Stored = Readonly<Record<string, unknown>> & { readonly id: string };
export interface Page {
  readonly objects: readonly Stored[];
  readonly paginationToken?: string;
}

export interface StoredTeam {
  readonly server: ManagedServer;
  readonly teamId: string;
  readonly apiKey: string;
  /** Creates an object of a kind with an API key. @returns its id */
  readonly create: (kind: Kind, key?: string) => Promise<string>;
  readonly list: (kind: Kind, query?: string, credential?: string) => Promise<Page>;
  readonly send: (method: string, path: string, credential?: string) => Promise<Answer>;
}

export const kinds = ["deferred-completions", "responses", "chat-completions", "batches", "files"] as const;
export type Kind = (typeof kinds)[number];

/** Creates a team that requires no credit, with a key. */
export async function createStoringTeam(server: ManagedServer): Promise<StoredTeam> {
  const teamId = await server.createTeam();
  const { kysely } = server.database;
  await kysely.updateTable("teams").set({ billing: "unmetered" }).where("id", "=", teamId).execute();
  const { apiKey } = await server.createKey(teamId, { acls: allAcls });
  return {
    server,
    teamId,
    apiKey,
    create: (kind, key = apiKey) => creators[kind](server, key),
    list: async (kind, query = "", credential?) => {
      const path = `/admin/teams/${teamId}/${kind}${query}`;
      const { status, body } = await server.request("GET", path, undefined, credential);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
      return body as Page;
    },
    send: (method, path, credential?) => server.request(method, `/admin/${path}`, undefined, credential),
  };
}

type Creator = (server: ManagedServer, key: string) => Promise<string>;

const creators: Readonly<Record<Kind, Creator>> = {
  "deferred-completions": (server, key) =>
    idOf(server.request("POST", "/v1/chat/completions", { ...chat, deferred: true }, key), "request_id"),
  responses: (server, key) =>
    idOf(server.request("POST", "/v1/responses", { model: builtInModel, input: "Hello" }, key), "id"),
  "chat-completions": (server, key) =>
    idOf(server.request("POST", "/v1/chat/completions", { ...chat, store: true }, key), "id"),
  batches: async (server, key) => {
    const requests = ["a", "b"].map((custom_id) => ({ custom_id, params: chat }));
    return idOf(server.request("POST", "/v1/messages/batches", { requests }, key), "id");
  },
  files: (server, key) => uploadFile(server, key, "notes.txt"),
};

/** Uploads a file. @returns its id */
export async function uploadFile({ url }: ManagedServer, key: string, name: string): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob(['"a text"'], { type: "text/plain" }), name);
  form.append("purpose", "user_data");
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/files`, { method: "POST", headers, body: form });
  return ((await answer.json()) as { id: string }).id;
}

async function idOf(sent: Promise<Answer>, field: string): Promise<string> {
  const { status, body } = await sent;
  const id = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof id !== "string") throw new Error(`nothing was created: ${status} ${JSON.stringify(body)}`);
  return id;
}
