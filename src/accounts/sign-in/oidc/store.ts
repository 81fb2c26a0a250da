import type { Database } from "../../../store/database.js";
import type { MemberIdentityRow } from "../../../store/tables/sign-in.js";
import { createWrite, type Write } from "../../../store/writes.js";

/** Who a member is for a provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The member, who may have been removed. */
  readonly memberId: string;
  /** Whether the provider's groups decide the team and the role of the member. */
  readonly isManaged: boolean;
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
        .set({ member_id: row.member_id, is_managed: row.is_managed, create_time: row.create_time })
        .where("issuer", "=", row.issuer)
        .where("subject", "=", row.subject)
        .where("member_id", "=", before.memberId);
      return createWrite("member_identities", update.compile(), 1);
    },
  };
}

function toRow(identity: Identity): MemberIdentityRow {
  return {
    issuer: identity.issuer,
    subject: identity.subject,
    member_id: identity.memberId,
    is_managed: identity.isManaged ? 1 : 0,
    create_time: identity.createTime,
  };
}

function fromRow(row: MemberIdentityRow): Identity {
  return {
    issuer: row.issuer,
    subject: row.subject,
    memberId: row.member_id,
    isManaged: row.is_managed === 1,
    createTime: row.create_time,
  };
}
