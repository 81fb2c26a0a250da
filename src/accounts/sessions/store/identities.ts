import type { Database } from "../../../store/database.js";
import type { Row } from "../../../store/tables.js";
import { createWrite, type Write } from "../../../store/writes.js";

/** Who a member is for a provider; the member may have been removed. */
export type Identity = Row<"memberIdentities">;

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Creates the queries of the identities of members. */
export function createIdentityStore({ kysely }: Database) {
  return {
    async find(issuer: string, subject: string): Promise<Identity | null> {
      const query = kysely.selectFrom("memberIdentities").selectAll();
      const row = await query.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst();
      return row ?? null;
    },
    /** Returns the identities of a member, of which there is one for each provider that the server has had. */
    async ofMember(memberId: string): Promise<readonly Identity[]> {
      const query = kysely.selectFrom("memberIdentities").selectAll().where("memberId", "=", memberId);
      return query.execute();
    },
    /**
     * Marks a sign-in as used, and forgets those that have expired. The commit fails with `conflict` when it is used already.
     * @param stateHash SHA-256 of its state
     */
    useWrites: (stateHash: Uint8Array, times: { readonly expireTime: number; readonly now: number }) =>
      useWrites(kysely, stateHash, times),
    /**
     * Stores an identity. The commit fails with `conflict` when the member has another one of the issuer.
     * @param before the identity of a removed member that it replaces; null: the commit fails when there is one
     */
    write(identity: Identity, before: Identity | null): Write {
      const insert = kysely.insertInto("memberIdentities").values(identity);
      if (before === null)
        return createWrite("memberIdentities", insert.onConflict((clash) => clash.doNothing()).compile(), 1);
      const update = kysely
        .updateTable("memberIdentities")
        .set({ memberId: identity.memberId, createTime: identity.createTime })
        .where("issuer", "=", identity.issuer)
        .where("subject", "=", identity.subject)
        .where("memberId", "=", before.memberId);
      return createWrite("memberIdentities", update.compile(), 1);
    },
  };
}

function useWrites(
  kysely: Database["kysely"],
  stateHash: Uint8Array,
  { expireTime, now }: { readonly expireTime: number; readonly now: number },
): readonly Write[] {
  const expired = kysely.deleteFrom("usedSignIns").where("expireTime", "<=", now);
  const used = kysely
    .insertInto("usedSignIns")
    .values({ stateHash, expireTime })
    .onConflict((clash) => clash.doNothing());
  return [createWrite("usedSignIns", expired.compile()), createWrite("usedSignIns", used.compile(), 1)];
}
