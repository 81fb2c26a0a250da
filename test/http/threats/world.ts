/**
 * What the tests of threats share: the table of routes, and teams that have one thing of every kind which a route names in its
 * path. A route that is added is asked like the others from that day on.
 */
import { join } from "node:path";
import { createTeamService } from "../../../src/accounts/teams/teams.js";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { defaultHttpLimits } from "../../../src/http/deps.js";
import type { Route } from "../../../src/http/route.js";
import { createRoutes } from "../../../src/http/routes.js";
import { openDatabase } from "../../../src/store/database.js";
import { createImageStore } from "../../../src/inference/images/store.js";
import { createWrites } from "../../../src/store/writes.js";
import { systemRandom } from "../../../src/system.js";
import { builtInModel } from "../../harness.js";
import { everything, type Answer, type Managed } from "../auth/managed.js";

/** Every route of the server. */
export const routes: readonly Route[] = createRoutes({ limits: defaultHttpLimits } as Parameters<
  typeof createRoutes
>[0]);

/** Those that need a key; /metrics does not on the loopback address of these servers. */
export const guardedRoutes = routes.filter(({ guard, path }) => guard !== "none" && path !== "/metrics");

/** A route, as the name of a test tells it. */
export function nameOf({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path}`;
}

/** A team, and its keys for both planes. */
export interface Side {
  readonly teamId: string;
  readonly apiKey: string;
  readonly manager: string;
}

/** A new team that needs no credit. */
export async function newSide(server: Managed, name: string): Promise<Side> {
  const { stores, clock } = server;
  const teams = createTeamService({ ...stores, clock, random: systemRandom });
  const { id: teamId } = await teams.create({ name, billing: "unmetered" }, cliActor);
  const { apiKey } = await server.key(teamId, { acls: everything });
  return { teamId, apiKey, manager: await server.manager({ teamId }) };
}

/** The credential of a side that a route asks for; null where it asks for none. */
export function credentialOf({ guard }: Route, side: Side): string | null {
  if (guard === "none") return null;
  return guard === "api-key" ? side.apiKey : side.manager;
}

/** What a path's parameters are called, without the rest of a path, which is the name of a model. */
export function paramsOf({ path }: Route): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

const model = builtInModel;

/** By the name of a parameter, without underscores: makes such a thing of a side. @returns its id. */
const makers: Readonly<Record<string, (server: Managed, side: Side) => Promise<string>>> = {
  teamid: (_, { teamId }) => Promise.resolve(teamId),
  apikeyid: async (server, { teamId }) => (await server.key(teamId)).apiKeyId,
  memberid: async (server, { teamId }) => {
    const email = `${systemRandom.id()}@example.com`;
    return idOf(server.ask("POST", `/auth/teams/${teamId}/members`, { email, role: "member" }), "memberId");
  },
  responseid: (server, { apiKey }) =>
    idOf(server.ask("POST", "/v1/responses", { model, input: "Hello" }, apiKey), "id"),
  requestid: (server, { apiKey }) => {
    const body = { model, messages: [{ role: "user", content: "Hello" }], deferred: true };
    return idOf(server.ask("POST", "/v1/chat/completions", body, apiKey), "request_id");
  },
  name: keptImage,
};

/** Name of an image that anybody can fetch. */
async function keptImage({ data, clock }: Managed): Promise<string> {
  const database = await openDatabase(join(data, "hearth.db"));
  try {
    const options = { folder: join(data, "images"), bytesMax: 1_000_000, random: systemRandom };
    const room = await createImageStore(database, options).room(systemRandom.id(), 100);
    const name = await room.add(new Uint8Array(10), "png");
    await createWrites(database).commit(room.insertions(clock.now() + 60_000));
    await room.close(true);
    return name;
  } finally {
    await database.close();
  }
}

/** A new thing of that side. @throws Error for a kind of thing that nobody has told here how to make. */
export function makeThing(server: Managed, side: Side, param: string): Promise<string> {
  const make = makers[param.replaceAll("_", "").toLowerCase()];
  if (make === undefined) throw new Error(`tell test/http/threats/world.ts how a ':${param}' is made`);
  return make(server, side);
}

/** The same id with other digits at its end: of nothing that is there. */
export function unknownLike(id: string): string {
  return `${id.slice(0, -12)}000000000000`;
}

/** A path with something for each of its parameters; the built-in model where one is named. */
export async function pathWith(
  { path }: Pick<Route, "path">,
  valueOf: (param: string) => Promise<string> | string,
): Promise<string> {
  let found = path.replace("*id", model);
  for (const [whole, param = ""] of path.matchAll(/:(\w+)/g))
    found = found.replace(whole, encodeURIComponent(await valueOf(param)));
  return found;
}

/** Whether a body is read of such a request. */
export function takesBody({ method, takesBody: takes }: Route): boolean {
  return (method === "POST" || method === "PUT") && takes !== false;
}

/** Asks for a route's path, with the body that its reference gives as an example. */
export function ask(server: Managed, route: Route, path: string, credential: string | null): Promise<Answer> {
  return server.ask(
    route.method,
    path,
    takesBody(route) ? (route.docs.example ?? {}) : undefined,
    credential,
  );
}

async function idOf(asked: Promise<Answer>, field: string): Promise<string> {
  const { status, body } = await asked;
  const id = (body as Readonly<Record<string, unknown>>)[field];
  if (typeof id !== "string") throw new Error(`nothing was made: ${status} ${JSON.stringify(body)}`);
  return id;
}
