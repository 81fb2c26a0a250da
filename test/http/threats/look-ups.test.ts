import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { type CreatedKey, allAcls, dayMs, now, rfc3339 } from "../../kit/server/management.js";
import { watchQueries, type RunQuery } from "./sql/queries.js";

/** The two kinds of authentication: a route, its table, and a function that creates a secret and one that invalidates it. */
const authentications = [
  { plane: "/v1", path: "/v1/api-key", table: "api_keys" },
  { plane: "/auth", path: "/auth/management-keys/validation", table: "management_keys" },
] as const;

let queries: RunQuery[];
let server: ManagedServer;
beforeEach(async () => {
  queries = watchQueries();
  // What the server looks for by itself is not part of a request.
  server = await startServer({ accounts: "managed", environment: { HEARTH_ALERT_CHECK_SECONDS: "0" } });
});

/** Returns the statements that SQLite runs for one request. */
async function during(request: () => Promise<unknown>): Promise<readonly RunQuery[]> {
  queries.length = 0;
  await request();
  return [...queries];
}

/** A valid secret. */
async function secretFor({ plane }: (typeof authentications)[number]): Promise<string> {
  const teamId = await server.createTeam();
  return plane === "/v1"
    ? (await server.createKey(teamId, { acls: allAcls })).apiKey
    : server.createManagementKey({ teamId });
}

/** Secrets that are nearly correct. */
function guesses(secret: string): readonly string[] {
  const changed = (at: number) =>
    secret.slice(0, at) + (secret[at] === "x" ? "y" : "x") + secret.slice(at + 1);
  const hash = createHash("sha256").update(secret).digest();
  return [
    changed(3),
    changed(secret.length - 1),
    secret.slice(0, -1),
    `${secret}x`,
    secret.toLowerCase(),
    hash.toString("hex"),
    hash.toString("base64"),
    "%".repeat(20),
    "_".repeat(secret.length),
  ];
}

describe.each(authentications)("E2: at the door of $plane a secret", (door) => {
  it("is hashed first, and looked up by its whole hash only, in one query", async () => {
    const secret = await secretFor(door);
    for (const presented of [secret, ...guesses(secret)]) {
      const run = await during(() => server.request("GET", door.path, undefined, presented));
      const looks = run.filter(({ sql }) => sql.includes(`from "${door.table}"`));
      expect([presented === secret, looks.length]).toEqual([presented === secret, 1]);
      const hash = createHash("sha256").update(presented).digest();
      const [{ sql, parameters } = { sql: "", parameters: [] }] = looks;
      for (const parameter of parameters) expect(Buffer.from(parameter as Uint8Array)).toEqual(hash);
      expect(parameters.length).toBeGreaterThan(0);
      const compared = [...sql.matchAll(/(\S+) (\S+) \?/g)].map(([, column = "", how]) => [
        column.split(".").at(-1),
        how,
      ]);
      expect(compared).toHaveLength(parameters.length);
      for (const [column, how] of compared) {
        expect(['"hash"', '"previous_hash"']).toContain(column);
        expect(how).toBe("=");
      }
      const all = JSON.stringify(run.flatMap((each) => [each.sql, ...each.parameters.map(String)]));
      expect(all).not.toContain(presented.slice(3, 12));
    }
  });

  it("that is nearly correct is answered like any wrong key", async () => {
    const secret = await secretFor(door);
    const answers = await Promise.all(
      ["hk-".length, 20, 40].map(async (at) => {
        const near = `${secret.slice(0, at)}${"0".repeat(secret.length - at - 4)}Zz9Q`;
        return server.request("GET", door.path, undefined, near);
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
  });
});

describe("E17: the rejection of a key runs the same statements", () => {
  /** Statements about keys, with their number of parameters; other statements can belong to other work. */
  const work = (run: readonly RunQuery[]) =>
    run
      .filter(({ sql }) => /"(api_keys|management_keys|teams|members)"/.test(sql))
      .map(({ sql, parameters }) => [sql, parameters.length]);

  it("on /v1, whether it is unknown, deleted, rotated, disabled, expired or of a blocked team", async () => {
    const teamId = await server.createTeam();
    const blocked = await server.createTeam();
    const key = (fields: object = {}, of = teamId): Promise<CreatedKey> =>
      server.createKey(of, { acls: allAcls, ...fields });
    const [deleted, rotated, disabled] = [await key(), await key(), await key()];
    const [expired, ofBlocked] = [await key({ expireTime: rfc3339(now + 1) }), await key({}, blocked)];
    const path = ({ apiKeyId }: CreatedKey) => `/auth/api-keys/${apiKeyId}`;
    await server.request("DELETE", path(deleted));
    await server.request("POST", `${path(rotated)}/rotate`, { oldSecretExpireTime: rfc3339(now) });
    await server.request("PUT", path(disabled), { apiKey: { disabled: true } });
    await server.request("PUT", `/auth/teams/${blocked}`, { team: { blocked: true } });
    server.clock.jump(dayMs);
    const statuses: number[] = [];
    const works: unknown[] = [];
    for (const secret of [
      `hk-${"0".repeat(54)}`,
      ...[deleted, rotated, disabled, expired, ofBlocked].map(({ apiKey }) => apiKey),
    ]) {
      const run = await during(async () =>
        statuses.push((await server.request("GET", "/v1/models", undefined, secret)).status),
      );
      works.push(work(run));
    }
    expect(statuses).toEqual([401, 401, 401, 403, 403, 403]);
    expect(works).toEqual(works.map(() => works[0]));
    expect(works[0]).toHaveLength(1);
  });

  it("on /auth, whether it is unknown, expired or of a blocked team", async () => {
    const blocked = await server.createTeam();
    const expired = await server.createManagementKey({ expireTime: now + 1 });
    const ofBlocked = await server.createManagementKey({ teamId: blocked });
    await server.request("PUT", `/auth/teams/${blocked}`, { team: { blocked: true } });
    server.clock.jump(dayMs);
    const statuses: number[] = [];
    const works: unknown[] = [];
    for (const secret of [`hm-${"0".repeat(54)}`, expired, ofBlocked]) {
      const run = await during(async () =>
        statuses.push((await server.request("GET", "/auth/teams", undefined, secret)).status),
      );
      works.push(work(run));
    }
    expect(statuses).toEqual([401, 403, 403]);
    expect(works).toEqual(works.map(() => works[0]));
    expect(works[0]).toHaveLength(1);
  });
});
