/**
 * Helpers for tests of threats: the route table, and teams with one object of every kind that a path can name. Tests cover a new
 * route automatically.
 */
import { join } from "node:path";
import { createTeamService } from "../../../src/accounts/teams/teams.js";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { type Route, takesBody } from "../../../src/http/server/route.js";
import { selectRoutes } from "../../../src/http/routes.js";
import { openDatabase } from "../../../src/store/database.js";
import { createImageStore } from "../../../src/inference/images/store.js";
import { createRunStore } from "../../../src/inference/run/store/runs.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemRandom } from "../../../src/system/clock.js";
import type { ManagedServer } from "../../kit/server.js";
import { allAcls, type Answer } from "../../kit/server/management.js";
import { builtInModel, pinnedManagementKey } from "../../kit/server/settings.js";
import { aRun } from "../../store/records.js";
import { createScriptedEmbeddingEngine } from "../../kit/scripted/embedding-engine.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { upload } from "../../kit/clients/uploads.js";

export { takesBody };

/** Every route of the server. */
export const routes: readonly Route[] = selectRoutes({ ollamaApi: true, metricsOpen: false });

/** Routes that a key opens, and no session does; /metrics does not on the loopback address of these servers. */
export const keyRoutes = routes.filter(
  ({ guard, path }) => (guard === "api-key" || guard === "management-key") && path !== "/metrics",
);

/** Returns the name of a route for test titles. */
export function routeName({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path}`;
}

/** Returns engines without weights, for servers whose tests send valid requests to every route: a picture takes 0.5 s. */
export function createCheapEngines() {
  return { embeddingEngine: createScriptedEmbeddingEngine(), imageEngine: createScriptedImageEngine() };
}

/** A team with an API key and a management key. */
export interface TestTeam {
  readonly teamId: string;
  readonly apiKey: string;
  readonly manager: string;
}

/** Creates a team that requires no credit. */
export async function createTestTeam(server: ManagedServer, name: string): Promise<TestTeam> {
  const { stores, clock } = server;
  const teams = createTeamService({ ...stores, clock, random: systemRandom });
  const { id: teamId } = await teams.create({ name, billing: "unmetered" }, cliActor);
  const { apiKey } = await server.createKey(teamId, { acls: allAcls });
  return { teamId, apiKey, manager: await server.createManagementKey({ teamId }) };
}

/** Returns the key that a route requires; null if it requires none. */
export function credentialOf(route: Route, side: TestTeam): string | null {
  if (route.guard === "api-key") return side.apiKey;
  if (route.guard !== "management-key") return null;
  return route.forAllTeams === true ? pinnedManagementKey : side.manager;
}

/** Returns the names of the path parameters, except for `*id`, which is a model. */
export function paramsOf({ path }: Route): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** Whether a path names an object of the server, which managers of every team can see. */
export function isOfServer(route: Route): boolean {
  return paramsOf(route).every((name) => name === "groupName");
}

const model = builtInModel;

/** Functions that create an object of a team and return its id, by parameter name without underscores. */
const creators: Readonly<Record<string, (server: ManagedServer, side: TestTeam) => Promise<string>>> = {
  teamid: (_, { teamId }) => Promise.resolve(teamId),
  apikeyid: async (server, { teamId }) => (await server.createKey(teamId)).apiKeyId,
  groupname: (server) => {
    const group = { name: systemRandom.id(), acls: ["api-key:endpoint:chat"] };
    return idOf(server.request("POST", "/auth/access-groups", group), "name");
  },
  memberid: async (server, { teamId }) => {
    const email = `${systemRandom.id()}@example.com`;
    return idOf(
      server.request("POST", `/auth/teams/${teamId}/members`, { email, role: "member" }),
      "memberId",
    );
  },
  responseid: (server, { apiKey }) =>
    idOf(server.request("POST", "/v1/responses", { model, input: "Hello" }, apiKey), "id"),
  completionid: (server, { apiKey }) => {
    const body = { model, messages: [{ role: "user", content: "Hello" }], store: true };
    return idOf(server.request("POST", "/v1/chat/completions", body, apiKey), "id");
  },
  conversationid: createConversation,
  itemid: async (server, side) => {
    const conversation = lastConversations.get(side) ?? (await createConversation(server, side));
    const body = { items: [{ role: "user", content: "Hello" }] };
    const path = `/v1/conversations/${conversation}/items`;
    return idOf(server.request("POST", path, body, side.apiKey), "first_id");
  },
  requestid: (server, { apiKey }) => {
    const body = { model, messages: [{ role: "user", content: "Hello" }], deferred: true };
    return idOf(server.request("POST", "/v1/chat/completions", body, apiKey), "request_id");
  },
  runid: async ({ database }, { teamId }) => {
    const id = systemRandom.id();
    const ended = { state: "completed", endTime: 6000 } as const;
    await createRunStore(database).insert(aRun({ id, teamId, ...ended }), []);
    return id;
  },
  channelid: (server, { teamId }) => {
    const target = `https://127.0.0.1/${systemRandom.id()}`;
    const body = { teamId, kind: "webhook", target };
    return idOf(server.request("POST", "/admin/alerts/channels", body), "channelId");
  },
  fileid: async ({ url }, { apiKey }) => (await upload(url, apiKey, '"a text"')).body.id,
  batchid: async (server, { apiKey }) => {
    const input = {
      custom_id: "a",
      method: "POST",
      url: "/v1/chat/completions",
      body: { model, messages: [] },
    };
    const { id } = (await upload(server.url, apiKey, JSON.stringify(input), { purpose: "batch" })).body;
    const body = { input_file_id: id, endpoint: "/v1/chat/completions", completion_window: "24h" };
    return idOf(server.request("POST", "/v1/batches", body, apiKey), "id");
  },
  messagebatchid: (server, { apiKey }) => {
    const params = { model, max_tokens: 4, messages: [{ role: "user", content: "Hello" }] };
    const body = { requests: [{ custom_id: "a", params }] };
    return idOf(server.request("POST", "/v1/messages/batches", body, apiKey), "id");
  },
  name: createStoredImage,
  page: () => Promise.resolve("keys"),
  pullid: (server) => idOf(server.request("POST", "/admin/models/pull", { model: "acme/tiny" }), "id"),
};

/** The newest conversation of each team. */
const lastConversations = new WeakMap<TestTeam, string>();

async function createConversation(server: ManagedServer, side: TestTeam): Promise<string> {
  const id = await idOf(server.request("POST", "/v1/conversations", {}, side.apiKey), "id");
  lastConversations.set(side, id);
  return id;
}

/** Stores an image. @returns its name. */
async function createStoredImage({ data, clock }: ManagedServer): Promise<string> {
  const database = await openDatabase(join(data, "hearth.db"));
  try {
    const options = { folder: join(data, "images"), bytesMax: 1_000_000, random: systemRandom };
    const room = await createImageStore(database, options).reserve(systemRandom.id(), 100);
    const name = await room.add(new Uint8Array(10), "png");
    await createWrites(database).commit(room.insertions(clock.now() + 60_000));
    await room.close(true);
    return name;
  } finally {
    await database.close();
  }
}

/** Creates an object of a team. @throws Error for a parameter without an entry in the table above. */
export function createObject(server: ManagedServer, side: TestTeam, param: string): Promise<string> {
  const make = creators[param.replaceAll("_", "").toLowerCase()];
  if (make === undefined)
    throw new Error(`add a function to test/http/threats/world.ts that creates a ':${param}'`);
  return make(server, side);
}

/** Returns an unknown id of the same form. */
export function unknownLike(id: string): string {
  return `${id.slice(0, -12)}000000000000`;
}

/** Returns a path with values for its parameters; `*id` is the built-in model. */
export async function pathWith(
  { path }: Pick<Route, "path">,
  valueOf: (param: string) => Promise<string> | string,
): Promise<string> {
  let found = path.replace("*id", model);
  for (const [whole, param = ""] of path.matchAll(/:(\w+)/g))
    found = found.replace(whole, encodeURIComponent(await valueOf(param)));
  return found;
}

/** Sends a request to a route with the example body of its documentation. */
export function requestRoute(
  server: ManagedServer,
  route: Route,
  path: string,
  credential: string | null,
): Promise<Answer> {
  return server.request(
    route.method,
    path,
    takesBody(route) ? (route.docs.example ?? {}) : undefined,
    credential,
  );
}

async function idOf(sent: Promise<Answer>, field: string): Promise<string> {
  const { status, body } = await sent;
  const id = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof id !== "string") throw new Error(`nothing was created: ${status} ${JSON.stringify(body)}`);
  return id;
}
