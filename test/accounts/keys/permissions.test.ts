import { aKey } from "../../kit/a-key.js";
import { describe, expect, it } from "vitest";
import {
  authorise,
  isAllowed,
  mayUseModel,
  type Need,
} from "../../../src/accounts/principals/permissions.js";
import { toHearthError } from "../../../src/core/errors.js";
import type { Model } from "../../../src/core/model.js";
import { ember } from "../../kit/scripted/ember.js";
import { aTeam } from "../../store/records.js";

const chat = { endpoint: "chat", model: ["small"] };

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
      { endpoint: "chat", model: ["a:b"] },
      true,
    ],
  ])("%s", (_, acls, need, allowed) =>
    expect(isAllowed({ key: aKey({ acls }), team: aTeam() }, need)).toBe(allowed),
  );

  it("decide which models a key may use", () => {
    const principal = { key: aKey({ acls: ["api-key:model:small"] }), team: aTeam() };
    const named = (id: string, aliases: string[] = []): Model => ({
      ...ember,
      manifest: { ...ember.manifest, id, aliases },
    });
    const models = [named("small"), named("large"), named("larger", ["small"])];
    expect(models.map((model) => mayUseModel(principal, model))).toEqual([true, false, true]);
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

  it("names the ACL that the model needs, by the name in the request", () => {
    const model = ["latest", "small"];
    expect(refusal(["api-key:endpoint:*"], { ...chat, model })).toMatchObject({
      kind: "permission_denied",
      param: "model",
      message: "This API key has no access to the model 'latest': it needs the ACL api-key:model:latest.",
    });
  });
});
