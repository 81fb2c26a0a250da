import Sqlite from "better-sqlite3";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Script } from "../../kit/scripted/engine.js";
import type { Route } from "../../../src/http/server/route.js";
import { root, temporaryFolder } from "../../kit/folder.js";
import { fileServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { expectEvery } from "../../kit/every.js";
import { isNightly } from "../../kit/sizes.js";
import {
  createCheapEngines,
  credentialOf,
  keyRoutes,
  createObject,
  routeName,
  createTestTeam,
  pathWith,
  takesBody,
  unknownLike,
  type TestTeam,
} from "./world.js";

const shared = fileServer((finished) => {
  const models = join(temporaryFolder(finished), "models");
  mkdirSync(models);
  writeFileSync(join(models, "broken.gguf"), "GGUF but no more");
  const engine: Script = (prompt) => {
    if (prompt.includes("fail half-way")) return ["Good ", new Error(`EACCES: ${models}/weights.bin`)];
    return prompt.includes("fail")
      ? [new Error(`ENOENT: no such file, open '${models}/weights.bin'`)]
      : ["Good day."];
  };
  return Promise.resolve({
    ...createCheapEngines(),
    accounts: "managed",
    engine,
    environment: { HEARTH_MODELS: models },
  } as const);
});
let side: TestTeam;
beforeAll(async () => {
  side = await createTestTeam(shared(), "ours");
});

/** Details of the machine, the program or its statements; an image may have any characters. */
function expectNothingInside(answer: string): void {
  const text = answer.replaceAll(/"b64_json":"[^"]*"/g, "");
  const { data } = shared();
  for (const inside of [data, root, tmpdir(), process.cwd(), "node_modules", "node:internal", "weights.bin"])
    expect(text).not.toContain(inside);
  expect(text).not.toMatch(/(^|["'\s(])\/(home|root|usr|var|etc|proc|tmp|work|Users)\//);
  expect(text).not.toMatch(/\bat \S+ \(|\bat (async )?(file|node):|\.[cm]?[jt]s:\d+/);
  expect(text).not.toMatch(/SQLITE|sqlite|no such (table|column)|\bselect\b.*\bfrom\b|insert into/i);
}

interface Answer {
  readonly status: number;
  /** The headers, too; empty where all may be shown. */
  readonly text: string;
}

interface Ask {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

/** The report of the server's checks shows its owner the settings, paths among them: not an error, unlike all else. */
const isReportToOwner = (path: string, response: Response) => response.ok && path === "/admin/doctor";

/** Sends a request to a route with its credential. */
async function send(route: Route, { path, method = route.method, headers = {}, body }: Ask) {
  const response = await fetch(shared().url + path, {
    method,
    headers: {
      authorization: `Bearer ${credentialOf(route, side) ?? ""}`,
      "content-type": "application/json",
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const all = text + JSON.stringify([...response.headers]);
  return { status: response.status, text: isReportToOwner(route.path, response) ? "" : all };
}

const exampleOf = (route: Route): string | undefined =>
  takesBody(route) ? JSON.stringify(route.docs.example ?? {}) : undefined;

/** Creates what a request of the route names, and returns the request. */
async function askOf(route: Route): Promise<Ask> {
  const body = exampleOf(route);
  return {
    path: await pathWith(route, (param) => createObject(shared(), side, param)),
    body,
  };
}

/** Answers by route, while each table of the database is missing; in smaller sizes of the check, the tables of keys. A table is renamed once for all routes: renaming takes 10 ms. */
async function askWithoutTables(): Promise<ReadonlyMap<Route, readonly Answer[]>> {
  const asks = new Map<Route, Ask>();
  for (const route of keyRoutes) asks.set(route, await askOf(route));
  const answers = new Map<Route, Answer[]>(keyRoutes.map((route) => [route, []]));
  const database = new Sqlite(join(shared().data, "hearth.db"));
  database.pragma("synchronous = OFF");
  // Otherwise the renaming rewrites triggers, and "excluded" in them incorrectly.
  database.pragma("legacy_alter_table = ON");
  const all = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all() as string[];
  // Without these, no credential can be checked.
  const ofKeys = ["api_keys", "management_keys"];
  const tables = isNightly(process.env) ? all : ofKeys;
  for (const table of tables) {
    database.exec(`alter table "${table}" rename to away`);
    try {
      for (const [route, ask] of asks) answers.get(route)?.push(await send(route, ask));
    } finally {
      database.exec(`alter table away rename to "${table}"`);
    }
  }
  database.close();
  return answers;
}

it("E11: the errors of every route reveal nothing internal, whichever table of the database is missing", async () => {
  const withoutTables = await askWithoutTables();
  await expectEvery(keyRoutes, routeName, (route) => {
    const answers = withoutTables.get(route) ?? [];
    for (const { text } of answers) expectNothingInside(text);
    expect(answers.map(({ status }) => status)).toContain(500);
    return Promise.resolve();
  });
});

it("E11: the errors of every route reveal nothing internal, whatever is wrong with the request", () =>
  expectEvery(keyRoutes, routeName, async (route) => {
    const ask = await askOf(route);
    const example = exampleOf(route);
    const unknown = await pathWith(route, async (param) =>
      unknownLike(await createObject(shared(), side, param)),
    );
    const bodies = [
      "",
      "{",
      "[]",
      "null",
      "7",
      "{}",
      '{"model":7,"messages":7,"name":7}',
      `{"x":${"[".repeat(200)}`,
      example?.replaceAll(builtInModel, "broken") ?? "{}",
    ];
    const wrong: Ask[] = [
      { ...ask, headers: { authorization: "" } },
      { ...ask, headers: { authorization: "Bearer ../../etc/passwd" } },
      { ...ask, path: unknown },
      { ...ask, path: `${ask.path}/../../../etc/passwd` },
      { ...ask, path: `${ask.path}%2f..%2f..%2fetc%2fpasswd` },
      { ...ask, path: `${ask.path}%00` },
      { ...ask, path: `${ask.path}%zz` },
      {
        ...ask,
        path: `${ask.path}?pageSize=x&limit=x&starting_after=x&paginationToken=x&pageToken=x&stream=x`,
      },
      { ...ask, headers: { "content-type": "text/plain" } },
      { path: ask.path, method: "PATCH", body: "{}" },
      ...(example === undefined ? [] : bodies.map((body) => ({ ...ask, body }))),
    ];
    const answers = await Promise.all(wrong.map((each) => send(route, each)));
    for (const { text } of answers) expectNothingInside(text);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500 && status !== 503 && status !== 529)).toEqual([]);
    expect(statuses.some((status) => status >= 400)).toBe(true);
  }));

it.each(["fail", "fail half-way"])(
  "E11: a failure of the engine reveals no cause to the client of '%s'",
  async (content) => {
    const headers = { authorization: `Bearer ${side.apiKey}`, "content-type": "application/json" };
    const sent = { model: builtInModel, max_tokens: 50 };
    const messages = [{ role: "user", content }];
    for (const [path, body] of [
      ["/v1/chat/completions", { ...sent, messages }],
      ["/v1/completions", { ...sent, prompt: content }],
      ["/v1/messages", { ...sent, messages }],
      [
        "/v1/complete",
        { model: builtInModel, max_tokens_to_sample: 50, prompt: `\n\nHuman: ${content}\n\nAssistant:` },
      ],
      ["/v1/responses", { model: builtInModel, input: content }],
      ["/v1/responses/compact", { model: builtInModel, input: content }],
    ] as const)
      for (const stream of [false, true]) {
        const response = await fetch(shared().url + path, {
          method: "POST",
          headers,
          body: JSON.stringify({ ...body, stream }),
        });
        const text = await response.text();
        expect(text).toMatch(/internal|error/i);
        expectNothingInside(text);
      }
  },
);
