import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cliActor } from "../../../src/accounts/audit/actors.js";
import { createSignInAttempts } from "../../../src/accounts/sign-in/attempts.js";
import { createFailedSignIns } from "../../../src/accounts/sign-in/failed-sign-ins.js";
import { createSignInLinks } from "../../../src/accounts/sign-in/links.js";
import { createSignIn } from "../../../src/accounts/sign-in/sign-in.js";
import { buildAccountStores } from "../../../src/app/accounts.js";
import { systemRandom } from "../../../src/system/clock.js";
import { createManualClock } from "../../kit/manual-clock.js";
import { openNewDatabase } from "../../kit/databases/new-database.js";
import { temporaryFolder } from "../../store/records.js";

const address = "127.0.0.1";
const owner = { email: "owner@example.com", password: "correct horse battery staple" };

/** An owner with a password and a session; `resetAfterRead` resets the password while the next one is verified. */
async function signedInOwner() {
  const database = await openNewDatabase(join(temporaryFolder(), "hearth.db"));
  onTestFinished(() => database.close());
  const stores = {
    ...buildAccountStores(database),
    clock: createManualClock(1_000_000),
    random: systemRandom,
  };
  const links = createSignInLinks(stores);
  let afterRead: (() => Promise<unknown>) | null = null;
  const signIns: typeof stores.signIns = {
    ...stores.signIns,
    async findSignIn(memberId) {
      const found = await stores.signIns.findSignIn(memberId);
      const action = afterRead;
      afterRead = null;
      await action?.();
      return found;
    },
  };
  const attempts = createSignInAttempts(stores.clock);
  const signIn = createSignIn({
    ...stores,
    signIns,
    attempts,
    failures: createFailedSignIns(stores),
    passwordCost: { N: 16, r: 1, p: 1 },
  });
  const session = await signIn.withLink({ link: await links.create(null, cliActor), ...owner }, address);
  return {
    database,
    signIn,
    session,
    resetAfterRead: () => void (afterRead = () => links.reset(session.member, cliActor)),
    endAfterRead: () => void (afterRead = () => signIn.endAll(session)),
    state: async () => ({
      sessions: await database.kysely.selectFrom("consoleSessions").select("id").execute(),
      passwords: await database.kysely.selectFrom("memberSignIns").select("password").execute(),
    }),
  };
}

const reset = { sessions: [], passwords: [{ password: null }] };

describe("a password that is reset while it is verified", () => {
  it("begins no session", async () => {
    const { signIn, resetAfterRead, state } = await signedInOwner();
    resetAfterRead();
    await expect(signIn.withPassword(owner, address)).rejects.toMatchObject({ kind: "bad_credential" });
    expect(await state()).toEqual(reset);
  });

  it("is not replaced by a new one, which the session that ended had asked for", async () => {
    const { signIn, session, resetAfterRead, state } = await signedInOwner();
    resetAfterRead();
    const change = { currentPassword: owner.password, password: "another long pass phrase" };
    await expect(signIn.setPassword(session, change, address)).rejects.toMatchObject({
      kind: "unauthenticated",
    });
    expect(await state()).toEqual(reset);
  });

  it("is not replaced either when only the session has ended", async () => {
    const { signIn, session, endAfterRead, state } = await signedInOwner();
    const { passwords } = await state();
    endAfterRead();
    const change = { currentPassword: owner.password, password: "another long pass phrase" };
    await expect(signIn.setPassword(session, change, address)).rejects.toMatchObject({
      kind: "unauthenticated",
    });
    expect(await state()).toEqual({ sessions: [], passwords });
  });
});
