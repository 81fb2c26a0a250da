import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createScriptedEngine } from "../../../kit/scripted/engine.js";
import { ticksToUsd } from "../../../../src/core/money.js";
import { type ManagedServer, fileServer } from "../../../kit/server.js";
import { type Answer, allAcls } from "../../../kit/server/management.js";
import { builtInModel } from "../../../kit/server/settings.js";
import { signInMember } from "../../console/pages.js";
import {
  createObject,
  keyRoutes,
  paramsOf,
  pathWith,
  requestRoute,
  routeName,
  takesBody,
  type TestTeam,
} from "../../threats/world.js";

/** A member, with an API key that has been used. */
interface Person extends TestTeam {
  readonly memberId: string;
  readonly apiKeyId: string;
  /** In the name of the key, its requests, their tags and their end users. */
  readonly mark: string;
  /** Answered tokens of its request, each of which costs 0.1 USD. */
  readonly tokens: number;
  readonly costUsd: string;
}

/** Answered words of a request with a mark. */
const wordsOf: Readonly<Record<string, number>> = { markmia: 13, markmax: 67, markada: 29, marktheirs: 41 };

const words = (text: string): number => wordsOf[/mark[a-z]+/.exec(text)?.[0] ?? ""] ?? 3;
const engine = createScriptedEngine((prompt) =>
  Array.from({ length: words(JSON.stringify(prompt)) }, () => "a "),
);
const shared = fileServer({ accounts: "managed", engine });
let [mia, max, ada, theirs]: readonly Person[] = [];
beforeAll(async () => {
  const server = shared();
  await server.request("PUT", `/admin/models/${builtInModel}`, {
    prices: { prompt: 1, completion: 100_000 },
  });
  const [ours, others] = [await paidTeam(server, "ours"), await paidTeam(server, "others")];
  [mia, max, ada, theirs] = [
    await person(server, ours, "member", "markmia"),
    await person(server, ours, "member", "markmax"),
    await person(server, ours, "admin", "markada"),
    await person(server, others, "owner", "marktheirs"),
  ];
});

async function paidTeam(server: ManagedServer, name: string): Promise<string> {
  const teamId = await server.createTeam(name);
  await server.request("POST", `/v1/billing/teams/${teamId}/prepaid/top-up`, { amount: { val: "123456" } });
  return teamId;
}

async function person(server: ManagedServer, teamId: string, role: string, mark: string): Promise<Person> {
  const memberId = await server.createMember(teamId, { role });
  const manager = await server.createManagementKey({ teamId, memberId });
  const made = await server.request(
    "POST",
    `/auth/teams/${teamId}/api-keys`,
    { name: `key of ${mark}`, acls: allAcls },
    manager,
  );
  const { apiKey, apiKeyId } = made.body as { apiKey: string; apiKeyId: string };
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "x-hearth-tags": `tag-${mark}`,
    },
    body: JSON.stringify({
      model: builtInModel,
      messages: [{ role: "user", content: mark }],
      user: `user-${mark}`,
      max_tokens: 2000,
    }),
  });
  const { usage } = (await response.json()) as {
    usage: { completion_tokens: number; cost_in_usd_ticks: number };
  };
  const costUsd = ticksToUsd(BigInt(usage.cost_in_usd_ticks));
  return { teamId, apiKey, manager, memberId, apiKeyId, mark, tokens: usage.completion_tokens, costUsd };
}

function people() {
  if (mia === undefined || max === undefined || ada === undefined || theirs === undefined)
    throw new Error("asked for before the first test");
  return { server: shared(), mia, max, ada, theirs };
}

const managing = keyRoutes.filter(({ guard }) => guard === "management-key");
/** Routes that read and name no object but a team. */
const lists = managing.filter((route) => {
  const reads = route.method === "GET" || route.path.endsWith("/usage");
  return reads && paramsOf(route).every((name) => name === "teamId" || name === "groupName");
});
/** Routes that name an object of a key, or what one has stored. */
const objects = managing.filter((route) => {
  const [name, ...more] = paramsOf(route);
  return (
    name !== undefined &&
    more.length === 0 &&
    !["teamId", "groupName", "memberId", "channelId", "pullId"].includes(name)
  );
});

/** What would show that an answer has something of a person. */
function tracesOf({ mark, apiKeyId, costUsd, tokens }: Person): readonly string[] {
  const cents = String(Math.ceil(Number(costUsd) * 100));
  return [
    mark,
    apiKeyId,
    costUsd.replace(/0+$/, ""),
    `"${cents}"`,
    `"-${cents}"`,
    `:${tokens},`,
    `"${tokens}"`,
  ];
}

async function read(
  route: (typeof lists)[number],
  credential: string,
  teamId: string,
): Promise<Answer & { text: string }> {
  const { server } = people();
  const path = await pathWith(route, (name) =>
    name === "teamId" ? teamId : createObject(server, people().max, name),
  );
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
  const body = takesBody(route) ? JSON.stringify(usageByAll) : undefined;
  const response = await fetch(server.url + path, {
    method: route.method,
    headers,
    body,
  });
  return { status: response.status, text: await response.text(), body: null };
}

const usageByAll = {
  analyticsRequest: {
    timeRange: { startTime: "2026-11-01 00:00:00", endTime: "2026-12-01 00:00:00" },
    timeUnit: "TIME_UNIT_NONE",
    values: ["usd", "requests", "completion_tokens"].map((name) => ({
      name,
      aggregation: "AGGREGATION_SUM",
    })),
    groupBy: ["api_key_id"],
  },
};

describe("E28: what an actor sees:", () => {
  it("the routes that list, sum or export are known", () => {
    expect(lists.length).toBeGreaterThan(25);
    expect(objects.length).toBeGreaterThan(15);
    expect(lists.map(routeName)).toContain("GET /admin/export/ledger");
  });

  it.each(lists.map((route) => [routeName(route), route] as const))(
    "%s has nothing of another's key for a member, and nothing of another team for anybody",
    async (_, route) => {
      const { mia, max, ada, theirs } = people();
      const ofMia = await read(route, mia.manager, mia.teamId);
      for (const trace of [...tracesOf(max), ...tracesOf(ada), ...tracesOf(theirs)])
        expect(ofMia.text).not.toContain(trace);
      for (const { manager } of [ada, max]) {
        const { text } = await read(route, manager, mia.teamId);
        for (const trace of tracesOf(theirs)) expect(text).not.toContain(trace);
      }
      const ofTheirs = await read(route, theirs.manager, mia.teamId);
      for (const each of [mia, max, ada])
        for (const trace of tracesOf(each)) expect(ofTheirs.text).not.toContain(trace);
    },
  );

  it.each(["usage", "ledger", "audit"])("an export of %s has what is a member's own", async (kind) => {
    const { server, mia, ada } = people();
    const rowsOf = async (credential: string) => {
      const headers = { authorization: `Bearer ${credential}` };
      const text = await (await fetch(`${server.url}/admin/export/${kind}`, { headers })).text();
      return text.split("\n").filter((line) => line !== "");
    };
    const [own, all] = [await rowsOf(mia.manager), await rowsOf(ada.manager)];
    expect(own.length).toBeGreaterThan(0);
    expect(all.length).toBeGreaterThan(own.length);
    expect(all).toEqual(expect.arrayContaining(own));
  });

  it.each(objects.map((route) => [routeName(route), route] as const))(
    "%s of another's key is not there for a member",
    async (_, route) => {
      const { server, mia, max } = people();
      const made = new Map<string, string>();
      const path = await pathWith(route, async (name) => {
        const id = name === "apiKeyId" ? max.apiKeyId : await createObject(server, max, name);
        made.set(name, id);
        return id;
      });
      expect((await requestRoute(server, route, path, mia.manager)).status).toBe(404);
    },
  );

  it("a member's page has as little as their management key", async () => {
    const { server, mia, max, ada } = people();
    const page = await signInMember(server, mia.teamId, "member");
    for (const path of [
      "/admin/requests",
      "/admin/overview",
      `/audit/teams/${mia.teamId}/events`,
      `/auth/teams/${mia.teamId}/api-keys`,
    ]) {
      const { status, body } = await page.send("GET", path);
      expect([path, status]).toEqual([path, 200]);
      for (const trace of [...tracesOf(max), ...tracesOf(mia), ...tracesOf(ada)])
        expect(JSON.stringify(body)).not.toContain(trace);
    }
  });

  it("one file decides it", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const deciding = sources.filter((name) =>
      readFileSync(join("src", name), "utf8").includes("ownKeysOnly"),
    );
    expect(deciding.toSorted()).toEqual(["accounts/audit/event.ts", "accounts/visibility.ts"]);
  });

  it("an admin sees the keys of the team", async () => {
    const { server, mia, max, ada } = people();
    const answers = await Promise.all(
      ["/admin/requests", "/admin/export/usage", `/auth/teams/${mia.teamId}/api-keys`].map(async (path) => {
        const response = await fetch(server.url + path, {
          headers: { authorization: `Bearer ${ada.manager}` },
        });
        return response.text();
      }),
    );
    for (const text of answers) for (const { mark } of [mia, max, ada]) expect(text).toContain(mark);
  });
});
