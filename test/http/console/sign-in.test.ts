/** Sign-in, by link and by password. Each test has a server of its own: a server has one first owner, and most tests move the clock. */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { type ManagedServer, startServer } from "../../kit/server.js";
import { dayMs } from "../../kit/server/management.js";
import { newLink, openPage, password, signInMember, signInOwner } from "./pages.js";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const refused = (status: number, message: unknown) => ({
  status,
  body: { code: expect.any(Number) as number, message, details: [] },
});
const ended = refused(401, "You are not signed in, or your session has ended. Please sign in.");
const wrong = refused(401, "The e-mail or the password is wrong.");
const owner = { email: "owner@example.com", password };

describe("a sign-in link", () => {
  it("makes the first owner of the server with an e-mail and a password, once", async () => {
    const server = await startServer({ accounts: "managed" });
    const link = await newLink(server, null);
    const page = openPage(server);
    const missing = (field: string) => refused(400, expect.stringMatching(`^${field} is needed`) as string);
    expect(await page.send("POST", "/sign-in", { link })).toEqual(missing("email"));
    expect(await page.send("POST", "/sign-in", { link, email: owner.email })).toEqual(missing("password"));
    expect(await page.send("POST", "/sign-in", { link, ...owner })).toMatchObject({
      status: 200,
      body: { member: { email: owner.email, role: "owner" }, expireTime: "2026-11-28T12:00:00.000000Z" },
    });
    expect(await page.send("GET", "/session")).toMatchObject({ status: 200 });
    const again = openPage(server);
    expect(await again.send("POST", "/sign-in", { link, ...owner })).toMatchObject({ status: 401 });
    expect(again.cookie).toBe("");
    await expect(newLink(server, null)).rejects.toThrow("The server has an owner already");
    expect(await again.send("POST", "/sign-in", owner)).toMatchObject({ status: 200 });
  });

  it("does not work after 24 hours, after a newer one, or in two requests at the same time", async () => {
    const server = await startServer({ accounts: "managed" });
    const first = await newLink(server, null);
    const second = await newLink(server, null);
    const send = (link: string, email = owner.email) =>
      openPage(server).send("POST", "/sign-in", { link, email, password });
    const used = {
      status: 401,
      body: { message: expect.stringContaining("has been used or has expired") as string },
    };
    expect(await send(first)).toMatchObject(used);
    server.clock.jump(dayMs);
    expect(await send(second)).toMatchObject(used);
    const third = await newLink(server, null);
    const both = await Promise.all([send(third), send(third, "other@example.com")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect(await server.stores.members.count()).toBe(1);
  });

  it("of a member who has a password signs them in, or sets a new one and ends their sessions", async () => {
    const server = await startServer({ accounts: "managed" });
    const page = await signInOwner(server);
    const plain = openPage(server);
    const sent = await plain.send("POST", "/sign-in", { link: await newLink(server, owner.email) });
    expect(sent.status).toBe(200);
    expect((await page.send("GET", "/session")).status).toBe(200);
    const link = await newLink(server, owner.email);
    await plain.send("POST", "/sign-in", { link, password: "another long pass phrase" });
    expect(await page.send("GET", "/session")).toEqual(ended);
    expect((await plain.send("GET", "/session")).status).toBe(200);
    expect(await page.send("POST", "/sign-in", owner)).toEqual(wrong);
  });
});

describe("a password", () => {
  it("signs in, whatever the case of the e-mail; an unknown e-mail and a wrong password have one answer", async () => {
    const server = await startServer({ accounts: "managed" });
    await signInOwner(server);
    const teamId = await server.createTeam();
    await server.createMember(teamId, { email: "new@example.com" });
    const page = openPage(server);
    const attempt = (email: string, tried: string) =>
      page.send("POST", "/sign-in", { email, password: tried });
    expect((await attempt("OWNER@Example.com", password)).status).toBe(200);
    expect(await attempt("owner@example.com", "wrong password")).toEqual(wrong);
    expect(await attempt("nobody@example.com", password)).toEqual(wrong);
    expect(await attempt("new@example.com", "")).toEqual(wrong);
    expect(await page.send("POST", "/sign-in", {})).toEqual(refused(400, "email is needed."));
    expect(await page.send("POST", "/sign-in", { email: "a@b" })).toEqual(
      refused(400, "password is needed."),
    );
    const long = await attempt("owner@example.com", "a".repeat(1025));
    expect(long).toEqual(refused(400, "password: must have at most 1024 characters"));
  });

  it("is stored as a salted scrypt hash with its parameters; links and sessions only as hashes", async () => {
    // The cost that servers have.
    const server = await startServer({ accounts: "managed", passwordCost: undefined });
    const page = await signInOwner(server);
    const { kysely } = server.database;
    const [row] = await kysely.selectFrom("memberSignIns").selectAll().execute();
    expect(row?.password).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    const [session] = await kysely.selectFrom("consoleSessions").selectAll().execute();
    expect(session?.hash).toHaveLength(32);
    const secret = page.cookie.split("=")[1] ?? "";
    expect(Buffer.from(session?.hash ?? []).toString("base64url")).not.toBe(secret);
    const { events } = (await server.request("GET", `/audit/teams/${await server.createTeam()}/events`))
      .body as { events: unknown };
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it("is changed with the current one only; all other sessions end, and this one gets a new cookie", async () => {
    const server = await startServer({ accounts: "managed" });
    const [page, other] = [await signInOwner(server), openPage(server)];
    await other.send("POST", "/sign-in", owner);
    const former = page.cookie;
    const change = { currentPassword: "wrong", password: "another long pass phrase" };
    expect(await page.send("PUT", "/password", change)).toEqual(refused(400, "currentPassword is wrong."));
    const short = await page.send("PUT", "/password", { currentPassword: password, password: "short" });
    expect(short).toEqual(refused(400, "password must have 10 to 256 characters."));
    const right = await page.send("PUT", "/password", { ...change, currentPassword: password });
    expect(right.status).toBe(200);
    expect(page.cookie).not.toBe(former);
    expect((await page.send("GET", "/session")).status).toBe(200);
    expect(await other.send("GET", "/session")).toEqual(ended);
    expect(await other.send("POST", "/sign-in", owner)).toEqual(wrong);
    expect((await other.send("POST", "/sign-in", { ...owner, password: change.password })).status).toBe(200);
  });

  it("E17: cannot be guessed: after 10 failures of an e-mail its right password is refused, too, for 15 minutes", async () => {
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    await signInOwner(server);
    await signInMember(server, teamId, "admin");
    const page = openPage(server);
    for (let count = 0; count < 10; count += 1)
      expect((await page.send("POST", "/sign-in", { ...owner, password: `guess ${count}` })).status).toBe(
        401,
      );
    const limited = await page.send("POST", "/sign-in", owner);
    expect(limited).toEqual(refused(429, "Too many sign-ins have failed. Please try again later."));
    expect(await page.send("POST", "/sign-in", { ...owner, email: "nobody@example.com" })).toEqual(wrong);
    server.clock.advance(15 * minuteMs);
    expect((await page.send("POST", "/sign-in", owner)).status).toBe(200);
  });

  it("E17: an address that has failed 30 times is refused, whatever the e-mail or link", async () => {
    const server = await startServer({ accounts: "managed" });
    const page = openPage(server);
    for (let count = 0; count < 30; count += 1)
      expect((await page.send("POST", "/sign-in", { link: `guess-${count}` })).status).toBe(401);
    expect(
      (await page.send("POST", "/sign-in", { link: await newLink(server, null), ...owner })).status,
    ).toBe(429);
    server.clock.advance(15 * minuteMs);
    expect(
      (await page.send("POST", "/sign-in", { link: await newLink(server, null), ...owner })).status,
    ).toBe(200);
  });
});

describe("an attempt that could not be made", () => {
  /** Sends requests that fail while the database has no such table. */
  async function withoutTable(
    { database }: ManagedServer,
    table: "member_sign_ins" | "sign_in_links",
    times: number,
    send: () => Promise<{ readonly status: number }>,
  ): Promise<void> {
    await sql.raw(`alter table ${table} rename to away`).execute(database.kysely);
    for (let count = 0; count < times; count += 1) expect((await send()).status).toBe(500);
    await sql.raw(`alter table away rename to ${table}`).execute(database.kysely);
  }

  it("does not count as failed, whatever is signed in with", async () => {
    const server = await startServer({ accounts: "managed" });
    const page = await signInOwner(server);
    const change = { currentPassword: password, password: "another long pass phrase" };
    const setPassword = () => page.send("PUT", "/password", change);
    await withoutTable(server, "member_sign_ins", 10, setPassword);
    expect((await setPassword()).status).toBe(200);
    const other = openPage(server);
    const link = await newLink(server, owner.email);
    const useLink = () => other.send("POST", "/sign-in", { link });
    await withoutTable(server, "sign_in_links", 30, useLink);
    expect((await useLink()).status).toBe(200);
  });
});

describe("a session", () => {
  it("ends 12 hours after its last use, and 7 days after its beginning", async () => {
    const server = await startServer({ accounts: "managed" });
    const page = await signInOwner(server);
    server.clock.jump(11 * hourMs);
    expect((await page.send("GET", "/session")).status).toBe(200);
    server.clock.jump(11 * hourMs);
    expect((await page.send("GET", "/session")).status).toBe(200);
    server.clock.jump(12 * hourMs);
    expect(await page.send("GET", "/session")).toEqual(ended);
    await page.send("POST", "/sign-in", owner);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      server.clock.jump(8 * hourMs);
      expect((await page.send("GET", "/session")).status).toBe(200);
    }
    server.clock.jump(8 * hourMs);
    expect(await page.send("GET", "/session")).toEqual(ended);
  });

  it("ends when its member signs out, everywhere or here only, and is not found with a changed cookie", async () => {
    const server = await startServer({ accounts: "managed" });
    const [page, other, third] = [await signInOwner(server), openPage(server), openPage(server)];
    await other.send("POST", "/sign-in", owner);
    await third.send("POST", "/sign-in", owner);
    const kept = page.cookie;
    expect(await page.send("DELETE", "/session")).toEqual({ status: 200, body: {} });
    expect(page.setCookie).toContain("expires=Thu, 01 Jan 1970");
    page.cookie = kept;
    expect(await page.send("GET", "/session")).toEqual(ended);
    expect((await other.send("GET", "/session")).status).toBe(200);
    expect((await other.send("DELETE", "/sessions")).status).toBe(200);
    expect(await third.send("GET", "/session")).toEqual(ended);
    third.cookie = `${third.cookie}x`;
    expect(await third.send("GET", "/session")).toEqual(ended);
  });

  it("ends when its member is removed, with the API key of their sessions", async () => {
    const server = await startServer({ accounts: "managed" });
    const owners = await signInOwner(server);
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "admin");
    expect((await page.send("GET", "/v1/models")).status).toBe(200);
    const { body } = await page.send("GET", "/session");
    const { memberId } = (body as { member: { memberId: string } }).member;
    const keysOf = async () =>
      (await server.stores.keys.list(teamId)).filter(({ userId }) => userId === memberId);
    expect(await keysOf()).toHaveLength(1);
    expect((await owners.send("DELETE", `/auth/members/${memberId}`)).status).toBe(200);
    for (const path of ["/session", `/auth/teams/${teamId}/api-keys`])
      expect(await page.send("GET", path)).toEqual(ended);
    expect((await page.send("GET", "/v1/models")).status).toBe(401);
    expect(await keysOf()).toEqual([]);
  });

  it("is refused while the team is blocked, and the 21st of a member ends the oldest", async () => {
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "owner");
    const { body } = await page.send("GET", "/session");
    const { email } = (body as { member: { email: string } }).member;
    for (let count = 0; count < 20; count += 1) {
      server.clock.advance(1);
      const link = await newLink(server, email);
      expect((await openPage(server).send("POST", "/sign-in", { link })).status).toBe(200);
    }
    expect(await page.send("GET", "/session")).toEqual(ended);
    await page.send("POST", "/sign-in", { email, password });
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked: true } });
    expect((await page.send("GET", "/session")).status).toBe(403);
    expect((await page.send("POST", "/sign-in", { email, password })).status).toBe(403);
  });

  it("does not begin while the team is blocked: nothing is stored, and a link can be used afterwards", async () => {
    const server = await startServer({ accounts: "managed" });
    const teamId = await server.createTeam();
    const page = await signInMember(server, teamId, "owner");
    const { body } = await page.send("GET", "/session");
    const { email } = (body as { member: { email: string } }).member;
    const { kysely } = server.database;
    const stored = async () => [
      await kysely.selectFrom("consoleSessions").selectAll().execute(),
      await kysely.selectFrom("auditEvents").selectAll().execute(),
    ];
    const link = await newLink(server, email);
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked: true } });
    const before = await stored();
    for (const request of [{ email, password }, { link }])
      expect((await openPage(server).send("POST", "/sign-in", request)).status).toBe(403);
    expect(await stored()).toEqual(before);
    await server.request("PUT", `/auth/teams/${teamId}`, { team: { blocked: false } });
    expect((await openPage(server).send("POST", "/sign-in", { link })).status).toBe(200);
  });
});
