import { aKey } from "../a-key.js";
import { describe, expect, it } from "vitest";
import { authorise, isAllowed, mayUseModel, type Need } from "../../../src/accounts/keys/permissions.js";
import { toHearthError, modelNotFound } from "../../../src/core/errors.js";
import { aTeam } from "../../store/records.js";

const chat = { endpoint: "chat", model: "small" };

describe("a key's ACLs", () => {
  it.each<[string, string[], Need, boolean]>([
    ["grant endpoint and model by name", ["api-key:endpoint:chat", "api-key:model:small"], chat, true],
    ["grant everything by wildcard", ["api-key:endpoint:*", "api-key:model:*"], chat, true],
    ["need the endpoint too", ["api-key:model:*"], chat, false],
    ["need the model too", ["api-key:endpoint:*"], chat, false],
    ["need that endpoint", ["api-key:endpoint:image", "api-key:model:*"], chat, false],
    ["need that model", ["api-key:endpoint:*", "api-key:model:smaller"], chat, false],
    [
      "need no model where none is named",
      ["api-key:endpoint:models"],
      { endpoint: "models", model: null },
      true,
    ],
    ["need no endpoint where the route has none", ["api-key:model:x"], { endpoint: null, model: null }, true],
    ["grant nothing when there are none", [], { endpoint: null, model: null }, false],
    ["are no patterns", ["api-key:endpoint:ch*", "api-key:model:*"], chat, false],
    [
      "know models with colons",
      ["api-key:endpoint:*", "api-key:model:a:b"],
      { endpoint: "chat", model: "a:b" },
      true,
    ],
  ])("%s", (_, acls, need, allowed) => expect(isAllowed(acls, need)).toBe(allowed));

  it("decide which models a key may use", () => {
    const principal = { key: aKey({ acls: ["api-key:model:small"] }), team: aTeam() };
    expect(["small", "large"].map((model) => mayUseModel(principal, model))).toEqual([true, false]);
  });
});

describe("authorise", () => {
  const refusal = (acls: string[], need: Need) => {
    try {
      authorise({ key: aKey({ acls }), team: aTeam() }, need);
    } catch (thrown) {
      return toHearthError(thrown);
    }
    return null;
  };

  it("accepts an allowed request", () => {
    expect(refusal(["api-key:endpoint:*", "api-key:model:*"], chat)).toBeNull();
  });

  it("names the ACL that the endpoint needs", () => {
    expect(refusal(["api-key:model:*"], chat)).toMatchObject({
      kind: "permission_denied",
      message: "This API key has no access to this endpoint: it needs the ACL api-key:endpoint:chat.",
    });
  });

  it("reports a forbidden model exactly like one that does not exist", () => {
    const { kind, message, param, code } = modelNotFound("small");
    expect(refusal(["api-key:endpoint:*"], chat)).toMatchObject({ kind, message, param, code });
  });

  it("does not reveal the model of an alias", () => {
    const error = refusal(["api-key:endpoint:*"], { ...chat, modelAsWritten: "latest" });
    expect(error?.message).toBe(modelNotFound("latest").message);
  });
});
