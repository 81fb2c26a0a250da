import { describe, expect, it } from "vitest";
import { createCommandEnvironment } from "./accounts.js";

const chat = "api-key:endpoint:chat";
const small = "api-key:model:small";

describe("hearth groups", () => {
  it("creates, lists, changes and deletes groups, which keys get by their name", async () => {
    const { hearth, json } = await createCommandEnvironment();
    expect(await hearth("groups", "create", "chats", "--acl", chat, "--description", "for all")).toBe(
      "created the access group chats\nGive it to keys: hearth keys update KEY --acl api-key:group:chats\n",
    );
    await hearth("groups", "set", "chats", "--acl", chat, "--acl", small);
    expect(await hearth("groups", "ls")).toMatch(
      /^NAME +PERMISSIONS +CHANGED +DESCRIPTION\nchats +endpoint:chat model:small +just now +for all\n$/,
    );
    expect(await json("groups", "ls")).toMatchObject([
      { name: "chats", acl: "api-key:group:chats", acls: [chat, small], description: "for all" },
    ]);
    await hearth("keys", "create", "--name", "laptop", "--acl", "api-key:group:chats");
    await expect(hearth("groups", "rm", "chats")).rejects.toThrow(
      "1 API key has the ACL api-key:group:chats",
    );
    await hearth("groups", "create", "unused");
    expect(await hearth("groups", "rm", "unused")).toBe("removed the access group unused\n");
  });

  it("limits what the keys of a team may do, and ends that", async () => {
    const { hearth, json } = await createCommandEnvironment();
    await hearth("teams", "create", "research");
    const allowed = await json("teams", "allow", "research", "--acl", chat, "--acl", small);
    expect(allowed).toMatchObject({ name: "research", aclStrings: [chat, small] });
    expect(await json("teams", "allow", "research", "--all")).not.toHaveProperty("aclStrings");
    await expect(hearth("teams", "allow", "research")).rejects.toMatchObject({ exitCode: 2 });
    await expect(hearth("teams", "allow", "research", "--acl", "chat")).rejects.toMatchObject({
      exitCode: 2,
    });
  });
});
