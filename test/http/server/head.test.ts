import { beforeAll, expect, it } from "vitest";
import { fileServer, startServer } from "../../kit/server.js";
import { headersOf } from "../../kit/server/requests.js";
import { keys } from "../../kit/server/six-keys.js";
import { gate } from "../../kit/until.js";
import {
  createCheapEngines,
  createObject,
  createTestTeam,
  credentialOf,
  pathWith,
  routeName,
  routes,
  type TestTeam,
} from "../threats/world.js";
import { createResponsesClient, readUntilText } from "../../kit/clients/responses.js";

const shared = fileServer({ ...createCheapEngines(), accounts: "managed" });
const made: { team?: TestTeam } = {};
beforeAll(async () => {
  made.team = await createTestTeam(shared(), "ours");
});

/** Guides are named by their files; a deferred completion is returned once, so that its route does not take HEAD. */
const getRoutes = routes.filter(
  ({ method, path }) => method === "GET" && !/^\/docs\/guides\/|deferred-completion/.test(path),
);

it.each(getRoutes.map((route) => [routeName(route), route] as const))(
  "HEAD answers as %s, without a body",
  async (_, route) => {
    const server = shared();
    const { team } = made;
    if (team === undefined) throw new Error("asked for before the first test");
    const path = await pathWith(route, (param) => createObject(server, team, param));
    const credential = credentialOf(route, team);
    const send = (method: string) =>
      fetch(server.url + path, {
        method,
        redirect: "manual",
        ...(credential === null ? {} : { headers: { authorization: `Bearer ${credential}` } }),
      });
    const read = async (method: string) => {
      const answer = await send(method);
      const [text, { status, headers }] = [await answer.text(), answer];
      return { text, answer: [status, headers.get("content-type")] };
    };
    // A batch may end meanwhile.
    const before = await read("GET");
    const head = await read("HEAD");
    const after = await read("GET");
    expect(head.text).toBe("");
    expect([before.answer, after.answer]).toContainEqual(head.answer);
  },
);

it("HEAD of the stream of an unfinished response ends at once", async () => {
  const wait = gate();
  const server = await startServer({ engine: () => ["Good", wait.opened, " day."] });
  const client = createResponsesClient(server.url);
  const frames = await client.stream({ input: "Hello", background: true });
  const id = await readUntilText(frames);
  const head = await fetch(`${server.url}/v1/responses/${id}?stream=true`, {
    method: "HEAD",
    headers: headersOf(keys.ada),
  });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-type")).toContain("text/event-stream");
  wait.open();
  await frames.all();
});
