import { beforeAll, expect, it } from "vitest";
import { selectRoutes } from "../../../../src/http/routes.js";
import { expectEvery } from "../../../kit/every.js";
import { fileServer } from "../../../kit/server.js";
import { allAcls, type Answer } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { createObject } from "../../threats/world.js";
import { type Row, table } from "./scenario-table.js";

const unknownId = "0193a7c2-0000-7000-8000-000000000000";
const refusal = (code: number, message: unknown = expect.any(String)) => ({ code, message, details: [] });

const shared = fileServer({ accounts: "managed" });
const keys = { right: "", lacking: "", lackingBilling: "", elsewhere: "" };
let [teamId, apiKey] = ["", ""];
beforeAll(async () => {
  const server = shared();
  teamId = await server.createTeam("ours");
  await server.database.kysely.updateTable("teams").set({ billing: "unmetered" }).execute();
  apiKey = (await server.createKey(teamId, { acls: allAcls })).apiKey;
  keys.right = await server.createManagementKey({ teamId });
  keys.lacking = await server.createManagementKey({ teamId, acls: ["team-token:endpoint:BillingRead"] });
  keys.lackingBilling = await server.createManagementKey({
    teamId,
    acls: ["team-token:endpoint:BillingWrite"],
  });
  keys.elsewhere = await server.createManagementKey({ teamId: await server.createTeam("theirs") });
});

function newBodyOf({ body, newBody = () => body }: Row): object | undefined {
  return newBody();
}

/** Returns the path with the ids of an existing key, member and team, or with an unknown id. */
async function existing(path: string, id: string | null = null): Promise<string> {
  const apiKeyId = id ?? (path.includes(":apiKeyId") ? (await shared().createKey(teamId)).apiKeyId : "");
  const memberId = id ?? (path.includes(":memberId") ? await shared().createMember(teamId) : "");
  const pullId = id ?? (path.includes(":pullId") ? await createPull() : "");
  let found = path;
  for (const param of path.match(/:(run|request|response|completion|batch|file|channel)Id|:groupName/g) ?? [])
    found = found.replace(
      param,
      id ?? (await createObject(shared(), { teamId, apiKey, manager: "" }, param.slice(1))),
    );
  return found
    .replace("*id", builtInModel)
    .replace(":pullId", pullId)
    .replace(":apiKeyId", apiKeyId)
    .replace(":memberId", memberId)
    .replace(":teamId", id ?? teamId);
}

async function createPull(): Promise<string> {
  const { body } = await shared().request("POST", "/admin/models/pull", { model: "acme/tiny" });
  return (body as { id: string }).id;
}

/** Requests a route for an existing or an unknown key or team. */
async function send(
  row: Row,
  credential: string | null,
  change: { readonly bad?: object | string; readonly unknown?: true } = {},
): Promise<Answer> {
  const [method = "", path = ""] = row.route.split(" ");
  const found = await existing(path, change.unknown ? unknownId : null);
  const query = typeof change.bad === "string" ? change.bad : "";
  const sent = typeof change.bad === "object" ? change.bad : newBodyOf(row);
  return shared().request(method, found + query, sent, credential);
}

it("the scenarios cover every route of the management API, with its ACL", () => {
  const routes = selectRoutes({ ollamaApi: true, metricsOpen: false });
  const managing = routes.filter(({ guard }) => guard === "management-key");
  expect(managing.map(({ method, path, acl }) => [`${method} ${path}`, acl])).toEqual(
    table.map(({ route, acl }) => [route, acl]),
  );
});

const nameOf = ({ route }: Row): string => route;
/** Groups are of the server: the managers of all teams see them. */
const hasId = ({ route }: Row): boolean => route.includes(":") && !route.includes(":groupName");
const refused = ({ isOllama }: Row, code: number, message: unknown = expect.any(String)) =>
  isOllama ? { error: message } : refusal(code, message);

it.each([
  ["no credential", null],
  ["an API key", "api key"],
  ["an unknown key", "unknown-key-of-nobody"],
])("E14: returns 401 for %s on every route", (_, credential) =>
  expectEvery(table, nameOf, async (scenario) => {
    const { bad } = scenario;
    const presented = credential === "api key" ? shared().apiKey : credential;
    const asked = [{}, { unknown: true as const }, ...(bad === undefined ? [] : [{ bad: bad[0] }])];
    for (const change of asked)
      expect(await send(scenario, presented, change)).toEqual({ status: 401, body: refused(scenario, 16) });
  }),
);

it("every route answers the management key of another team as if the object did not exist", () =>
  expectEvery(table, nameOf, async (scenario) => {
    const { bad, ofAllTeams = false, elsewhere = ofAllTeams ? 403 : 404 } = scenario;
    const answer = await send(scenario, keys.elsewhere);
    expect(answer.status).toBe(elsewhere);
    if (elsewhere === 404) expect(answer.body).toEqual(refused(scenario, 5));
    if (hasId(scenario)) expect(answer).toEqual(await send(scenario, keys.elsewhere, { unknown: true }));
    if (bad === undefined) return;
    const status = ofAllTeams ? 403 : 400;
    expect(await send(scenario, keys.elsewhere, { bad: bad[0] })).toMatchObject({ status });
  }));

it("E21: every route returns 403 with the name of the ACL to a key without it, whatever the body and the object", () =>
  expectEvery(table, nameOf, async (scenario) => {
    const { acl, bad } = scenario;
    const lacking = acl === "BillingRead" ? keys.lackingBilling : keys.lacking;
    const answer = await send(scenario, lacking);
    if (acl === null) return expect(answer.status).toBe(200);
    const message = expect.stringContaining(`needs the ACL team-token:endpoint:${acl}.`) as string;
    const denied = { status: 403, body: refused(scenario, 7, message) };
    expect(answer).toEqual(denied);
    if (hasId(scenario)) expect(await send(scenario, lacking, { unknown: true })).toEqual(denied);
    if (bad !== undefined) expect(await send(scenario, lacking, { bad: bad[0] })).toEqual(denied);
    const only = await shared().createManagementKey({ teamId, acls: [`team-token:endpoint:${acl}`] });
    expect((await send(scenario, only)).body).not.toMatchObject({ message });
  }));

it("every route returns 200 to a key with the ACL, 404 for an unknown id and 400 with the name of an invalid field", () =>
  expectEvery(table, nameOf, async (scenario) => {
    const { route, bad, ofAllTeams = false } = scenario;
    const right = ofAllTeams ? await shared().createManagementKey({}) : keys.right;
    expect([scenario.status ?? 200].flat()).toContain((await send(scenario, right)).status);
    if (hasId(scenario)) {
      const [, of = ""] = /:(\w+)Id/.exec(route) ?? [];
      const message = `Cannot find ${of === "apiKey" ? "API key" : of}`;
      expect(await send(scenario, right, { unknown: true })).toEqual({
        status: 404,
        body: refused(scenario, 5, message),
      });
    }
    if (bad === undefined) return;
    const received = await send(scenario, right, { bad: bad[0] });
    expect(received).toEqual({
      status: 400,
      body: refused(scenario, 3, expect.stringMatching(`^${bad[1]}: `)),
    });
  }));

it("every route reads the form of curl -d as JSON, with a bearer key and without a cookie only", () =>
  expectEvery(
    table.filter((row) => newBodyOf(row) !== undefined),
    nameOf,
    async (row) => {
      const right = row.ofAllTeams === true ? await shared().createManagementKey({}) : keys.right;
      const [method = "", path = ""] = row.route.split(" ");
      const status = async (headers: Record<string, string>) => {
        const body = JSON.stringify(newBodyOf(row));
        const form = { "content-type": "application/x-www-form-urlencoded", ...headers };
        return (await fetch(shared().url + (await existing(path)), { method, headers: form, body })).status;
      };
      expect([row.status ?? 200].flat()).toContain(await status({ authorization: `Bearer ${right}` }));
      expect(await status({ "x-api-key": right })).toBe(415);
      expect(await status({ authorization: `Bearer ${right}`, cookie: "session=x" })).toBe(415);
    },
  ));

it("E14: /v1 rejects management keys, and no API key can change or delete itself", async () => {
  const server = shared();
  const made = await server.createKey(teamId, { acls: ["api-key:endpoint:*", "api-key:model:*"] });
  expect((await server.request("GET", "/v1/models", undefined, keys.right)).status).toBe(401);
  expect((await server.request("GET", "/v1/models", undefined, made.apiKey)).status).toBe(200);
  const path = `/auth/api-keys/${made.apiKeyId}`;
  const more = { apiKey: { acls: ["api-key:endpoint:*"] } };
  expect((await server.request("PUT", path, more, made.apiKey)).status).toBe(401);
  expect((await server.request("DELETE", path, undefined, made.apiKey)).status).toBe(401);
  expect((await server.request("GET", "/v1/models", undefined, made.apiKey)).status).toBe(200);
});

it("a management key for one team can neither block nor unblock it", async () => {
  const server = shared();
  for (const blocked of [true, false]) {
    const id = await server.createTeam();
    if (!blocked) await server.request("PUT", `/auth/teams/${id}`, { team: { blocked: true } });
    const own = await server.createManagementKey({ teamId: id });
    const answer = await server.request("PUT", `/auth/teams/${id}`, { team: { blocked } }, own);
    expect(answer).toMatchObject({ status: 403, body: { code: 7 } });
  }
});

it.each([
  ["an unknown path", "GET", "/auth/nothing", undefined, 404, 5],
  ["an unknown path of billing", "GET", "/v1/billing/teams/a/invoices", undefined, 404, 5],
  ["billing itself", "GET", "/v1/billing", undefined, 404, 5],
  ["another method of billing", "PUT", "/v1/billing/teams/a/usage", {}, 405, 12],
  ["a key by way of its team", "GET", "/auth/teams/a/api-keys/b", undefined, 404, 5],
  ["another method", "PATCH", "/auth/api-keys/a", {}, 405, 12],
  ["no body", "POST", "/auth/teams", undefined, 415, 3],
])("reports %s in the format of a gRPC gateway", async (_, method, path, body, status, code) => {
  expect(await shared().request(method, path, body)).toEqual({ status, body: refusal(code) });
});
