import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { dayMs, everything, managed, rfc3339, now, type Managed, type ToldKey } from "../auth/managed.js";
import { watchQueries, type RunQuery } from "./queries.js";

/** The two doors: a route, the table behind it, and a new secret for it with what undoes it. */
const doors = [
  { plane: "/v1", path: "/v1/api-key", table: "api_keys" },
  { plane: "/auth", path: "/auth/management-keys/validation", table: "management_keys" },
] as const;

let queries: RunQuery[];
let server: Managed;
beforeEach(async () => {
  queries = watchQueries();
  server = await managed();
});

/** The statements that one request has SQLite run. */
async function during(request: () => Promise<unknown>): Promise<readonly RunQuery[]> {
  queries.length = 0;
  await request();
  return [...queries];
}

/** A secret that opens the door. */
async function secretFor({ plane }: (typeof doors)[number]): Promise<string> {
  const teamId = await server.team();
  return plane === "/v1"
    ? (await server.key(teamId, { acls: everything })).apiKey
    : server.manager({ teamId });
}

/** Secrets that are nearly right, as one who guesses would try them. */
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

describe.each(doors)("E2: at the door of $plane a secret", (door) => {
  it("is hashed first, and looked up by its whole hash and nothing else, in one query", async () => {
    const secret = await secretFor(door);
    for (const presented of [secret, ...guesses(secret)]) {
      const run = await during(() => server.ask("GET", door.path, undefined, presented));
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

  it("that is nearly right is answered as any other that is wrong", async () => {
    const secret = await secretFor(door);
    const answers = await Promise.all(
      ["hk-".length, 20, 40].map(async (at) => {
        const near = `${secret.slice(0, at)}${"0".repeat(secret.length - at - 4)}Zz9Q`;
        return server.ask("GET", door.path, undefined, near);
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
  });
});

describe("E17: refusing a key costs the same statements", () => {
  /** Statements about keys, with as many parameters as they had; others may be somebody else's. */
  const work = (run: readonly RunQuery[]) =>
    run
      .filter(({ sql }) => /"(api_keys|management_keys|teams|members)"/.test(sql))
      .map(({ sql, parameters }) => [sql, parameters.length]);

  it("on /v1, whether it is unknown, deleted, rotated away, disabled, expired or of a blocked team", async () => {
    const teamId = await server.team();
    const blocked = await server.team();
    const key = (wish: object = {}, of = teamId): Promise<ToldKey> =>
      server.key(of, { acls: everything, ...wish });
    const [deleted, rotated, disabled] = [await key(), await key(), await key()];
    const [expired, ofBlocked] = [await key({ expireTime: rfc3339(now + 1) }), await key({}, blocked)];
    const path = ({ apiKeyId }: ToldKey) => `/auth/api-keys/${apiKeyId}`;
    await server.ask("DELETE", path(deleted));
    await server.ask("POST", `${path(rotated)}/rotate`, { oldSecretExpireTime: rfc3339(now) });
    await server.ask("PUT", path(disabled), { apiKey: { disabled: true } });
    await server.ask("PUT", `/auth/teams/${blocked}`, { team: { blocked: true } });
    server.clock.advance(dayMs);
    const statuses: number[] = [];
    const works: unknown[] = [];
    for (const secret of [
      `hk-${"0".repeat(54)}`,
      ...[deleted, rotated, disabled, expired, ofBlocked].map(({ apiKey }) => apiKey),
    ]) {
      const run = await during(async () =>
        statuses.push((await server.ask("GET", "/v1/models", undefined, secret)).status),
      );
      works.push(work(run));
    }
    expect(statuses).toEqual([401, 401, 401, 403, 403, 403]);
    expect(works).toEqual(works.map(() => works[0]));
    expect(works[0]).toHaveLength(1);
  });

  it("on /auth, whether it is unknown, expired or of a blocked team", async () => {
    const blocked = await server.team();
    const expired = await server.manager({ expireTime: now + 1 });
    const ofBlocked = await server.manager({ teamId: blocked });
    await server.ask("PUT", `/auth/teams/${blocked}`, { team: { blocked: true } });
    server.clock.advance(dayMs);
    const statuses: number[] = [];
    const works: unknown[] = [];
    for (const secret of [`hm-${"0".repeat(54)}`, expired, ofBlocked]) {
      const run = await during(async () =>
        statuses.push((await server.ask("GET", "/auth/teams", undefined, secret)).status),
      );
      works.push(work(run));
    }
    expect(statuses).toEqual([401, 403, 403]);
    expect(works).toEqual(works.map(() => works[0]));
    expect(works[0]).toHaveLength(1);
  });
});
