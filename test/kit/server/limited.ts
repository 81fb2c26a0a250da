/** A team with a key, whose limits a test sets, and the limited routes. */
import type { ManagedServer } from "../server.js";
import { allAcls, type CreatedKey } from "./management.js";
import { builtInModel } from "./settings.js";

export interface LimitedTeam extends ManagedServer {
  readonly teamId: string;
  /** Changes the team's limits on every model, or on that one. */
  limit(limits: object, model?: string): Promise<void>;
  /** Creates a key of the team with all permissions. */
  newKey(limits?: object): Promise<CreatedKey>;
  /** Sends a request with the team's first key, or another one. */
  post(path: string, body: object, secret?: string): Promise<Response>;
}

/** Creates a team that requires no credit, with a key. @returns the server with the requests of the team */
export async function createLimitedTeam(server: ManagedServer): Promise<LimitedTeam> {
  const teamId = await server.createTeam();
  const { kysely } = server.database;
  await kysely.updateTable("teams").set({ billing: "unmetered" }).where("id", "=", teamId).execute();
  const newKey = (limits = {}) => server.createKey(teamId, { acls: allAcls, ...limits });
  const { apiKey } = await newKey();
  return {
    ...server,
    teamId,
    apiKey,
    newKey,
    async limit(limits, model) {
      const change = { limits, fieldMask: "qps,qpm,tpm", model };
      const { status, body } = await server.request("PUT", `/auth/teams/${teamId}/limits`, change);
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    post: (path, body, secret = apiKey) =>
      fetch(server.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

const model = builtInModel;
const messages = [{ role: "user", content: "Hello there, world" }];

export const chat = ["/v1/chat/completions", { model, messages }] as const;

/** Every route that uses a model, with a request; all requests have the same prompt. */
export const openaiRoutes: readonly (readonly [path: string, body: object])[] = [
  chat,
  ["/v1/chat/completions", { model, messages, stream: true }],
  ["/v1/chat/completions", { model, messages, deferred: true }],
  ["/v1/completions", { model, prompt: "Hello there, world" }],
  ["/v1/responses", { model, input: "Hello there, world" }],
  ["/v1/responses", { model, input: "Hello there, world", stream: true }],
  ["/v1/responses", { model, input: "Hello there, world", background: true }],
  ["/v1/responses/input_tokens", { model, input: "Hello there, world" }],
  ["/v1/responses/compact", { model, input: "Hello there, world" }],
  ["/v1/tokenize-text", { model, text: "Hello there, world" }],
  ["/v1/tokenize-text", { model: "gpt-4o", text: "Hello there, world" }],
  // Ollama has no headers of its own.
  ["/api/chat", { model, messages }],
  ["/api/generate", { model, prompt: "Hello there, world", stream: false }],
];

export const anthropicRoutes: readonly (readonly [path: string, body: object])[] = [
  ["/v1/messages", { model, messages, max_tokens: 9 }],
  ["/v1/messages", { model, messages, max_tokens: 9, stream: true }],
  ["/v1/messages/count_tokens", { model, messages }],
  ["/v1/complete", { model, prompt: "\n\nHuman: Hello there, world\n\nAssistant:", max_tokens_to_sample: 9 }],
];

/** Reads a whole response. */
export async function readResponse(answering: Promise<Response>) {
  const response = await answering;
  const text = await response.text();
  const { status, headers } = response;
  return { status, text, header: (name: string) => headers.get(name) };
}

/** Returns the rate limit headers of a response: limit, remaining and reset of requests and tokens. */
export function openaiLimitHeaders(headers: Headers) {
  return [...headers].flatMap(([name, value]) =>
    name.startsWith("x-ratelimit-") ? [`${name.slice(12)} ${value}`] : [],
  );
}
