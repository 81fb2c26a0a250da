import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createMemberStore } from "../../../src/accounts/members/store.js";
import { createSignInStore } from "../../../src/accounts/sessions/store/sessions.js";
import { openDatabase } from "../../../src/store/database.js";
import { createWrites } from "../../../src/store/writes.js";
import { temporaryFolder } from "../../kit/folder.js";
import { aMember } from "../../store/records.js";
import { backupOf, hearth, usedFolder } from "./backups.js";

describe("hearth restore", () => {
  it("ends the sessions and links of the console, and keeps passwords", async () => {
    const data = await usedFolder();
    const database = await openDatabase(join(data, "hearth.db"));
    const member = aMember({ id: "member-1", teamId: null });
    const signIns = createSignInStore(database);
    const times = { createTime: 1, lastUseTime: 1, expireTime: 9e15 };
    const hash = new Uint8Array(32);
    await createWrites(database).commit([
      createMemberStore(database).insertion(member),
      signIns.passwordWrite(member.id, "hash"),
      ...signIns.linkWrites({ hash, memberId: member.id, expireTime: 9e15 }),
      ...signIns.sessionWrites({ id: "session-1", memberId: member.id, hash, ...times }, 9),
    ]);
    await database.close();
    const restored = join(temporaryFolder(), "data");
    expect((await hearth(restored, "restore", await backupOf(data))).code).toBe(0);
    const rowsOf = (folder: string) => {
      const sqlite = new Sqlite(join(folder, "hearth.db"), { readonly: true });
      const count = (table: string) => sqlite.prepare(`select count(*) from ${table}`).pluck().get();
      const rows = ["console_sessions", "sign_in_links", "member_sign_ins"].map(count);
      sqlite.close();
      return rows;
    };
    expect(rowsOf(data)).toEqual([1, 1, 1]);
    expect(rowsOf(restored)).toEqual([0, 0, 1]);
  });
});
