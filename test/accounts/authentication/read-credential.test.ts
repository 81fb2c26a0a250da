import { expect, it } from "vitest";
import { readCredential } from "../../../src/accounts/credentials/read-credential.js";

it.each([
  ["a Bearer token", { authorization: "Bearer hk-abc" }, "hk-abc"],
  ["whatever the case and the spaces", { authorization: "  bEARER \t hk-abc " }, "hk-abc"],
  ["x-api-key", { "x-api-key": " hk-abc " }, "hk-abc"],
  ["Bearer before x-api-key", { authorization: "Bearer one", "x-api-key": "two" }, "one"],
  ["x-api-key beside an empty Bearer", { authorization: "Bearer ", "x-api-key": "two" }, "two"],
  ["x-api-key beside another scheme", { authorization: "Basic b25l", "x-api-key": "two" }, "two"],
  ["the first of several", { "x-api-key": ["one", "two"] }, "one"],
  ["nothing from no headers", {}, null],
  ["nothing from an empty Bearer", { authorization: "Bearer" }, null],
  ["nothing from another scheme", { authorization: "Basic b25l" }, null],
  ["nothing from a scheme that only begins like it", { authorization: "BearerX hk-abc" }, null],
  ["nothing from an empty x-api-key", { "x-api-key": "" }, null],
])("reads %s", (_, headers, credential) => expect(readCredential(headers)).toBe(credential));
