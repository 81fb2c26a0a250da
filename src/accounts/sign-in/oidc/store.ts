import type { Database } from "../../../store/database.js";
import type { MemberIdentityRow } from "../../../store/tables/sign-in.js";
import { createWrite, type Write } from "../../../store/writes.js";

/** Who a member is for a provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The member, who may have been removed. */
  readonly memberId: string;
  readonly createTime: number;
}

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Creates the queries of the identities of members. */
export function createIdentityStore({ kysely }: Database) {
  return {
    async find({ issuer, subject }: Pick<Identity, "issuer" | "subject">): Promise<Identity | null> {
      const query = kysely.selectFrom("member_identities").selectAll();
      const row = await query.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    /** Returns the identities of a member, of which there is one for each provider that the server has had. */
    async ofMember(memberId: string): Promise<readonly Identity[]> {
      const query = kysely.selectFrom("member_identities").selectAll().where("member_id", "=", memberId);
      return (await query.execute()).map(fromRow);
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
      const row = toRow(identity);
      const insert = kysely.insertInto("member_identities").values(row);
      if (before === null)
        return createWrite("member_identities", insert.onConflict((clash) => clash.doNothing()).compile(), 1);
      const update = kysely
        .updateTable("member_identities")
        .set({ member_id: row.member_id, create_time: row.create_time })
        .where("issuer", "=", row.issuer)
        .where("subject", "=", row.subject)
        .where("member_id", "=", before.memberId);
      return createWrite("member_identities", update.compile(), 1);
    },
  };
}

function useWrites(
  kysely: Database["kysely"],
  stateHash: Uint8Array,
  { expireTime, now }: { readonly expireTime: number; readonly now: number },
): readonly Write[] {
  const expired = kysely.deleteFrom("used_sign_ins").where("expire_time", "<=", now);
  const used = kysely
    .insertInto("used_sign_ins")
    .values({ state_hash: stateHash, expire_time: expireTime })
    .onConflict((clash) => clash.doNothing());
  return [createWrite("used_sign_ins", expired.compile()), createWrite("used_sign_ins", used.compile(), 1)];
}

function toRow(identity: Identity): MemberIdentityRow {
  return {
    issuer: identity.issuer,
    subject: identity.subject,
    member_id: identity.memberId,
    create_time: identity.createTime,
  };
}

function fromRow(row: MemberIdentityRow): Identity {
  return {
    issuer: row.issuer,
    subject: row.subject,
    memberId: row.member_id,
    createTime: row.create_time,
  };
}
