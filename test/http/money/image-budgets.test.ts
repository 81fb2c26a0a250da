import { expect, it } from "vitest";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { aSide, complete, set, verified } from "../management/accounts/budgeted.js";
import { startServer } from "../../kit/server.js";

const image = { prompt: "a red circle on white", response_format: "b64_json" };

it.each([
  ["of a key", "1", (keyId: string) => ({ apiKeyId: keyId })],
  ["of a team", "1", () => ({})],
  ["of a key that has used it all", "5", (keyId: string) => ({ apiKeyId: keyId })],
])("M7: a budget of tokens %s refuses texts and no images", async (_, hardTokens, subject) => {
  const server = await startServer({
    accounts: "managed",
    engine: () => ["a", " b"],
    imageEngine: createScriptedImageEngine(),
  });
  const side = await aSide(server);
  if (hardTokens === "5") expect((await complete(server, side, 2)).status).toBe(200);
  const budget = { ...subject(side.keyId), period: "day", budget: { hardTokens } };
  expect((await set(server, side, budget)).status).toBe(200);
  expect((await complete(server, side)).status).toBe(429);
  const drawn = await server.request("POST", "/v1/images/generations", image, side.secret);
  expect(drawn.status).toBe(200);
  const [row] = await server.database.kysely.selectFrom("budgetPeriods").selectAll().execute();
  expect(row).toMatchObject({ spentTokens: hardTokens === "5" ? 5 : 0, reservedTokens: 0 });
  await verified(server);
});

it.each([
  ["of a key", "key"],
  ["of a team", "team"],
])(
  "M7: a limit on tokens a minute %s refuses texts and no images, and images count nothing",
  async (_, whose) => {
    const server = await startServer({
      accounts: "managed",
      engine: () => ["a", " b"],
      imageEngine: createScriptedImageEngine(),
    });
    const side = await aSide(server);
    const limits = { limits: { tpm: 1 }, fieldMask: "qps,qpm,tpm" };
    const answer =
      whose === "team"
        ? await server.request("PUT", `/auth/teams/${side.teamId}/limits`, limits)
        : await server.request("PUT", `/auth/api-keys/${side.keyId}`, {
            apiKey: { tpm: 1 },
            fieldMask: "tpm",
          });
    expect(answer.status).toBe(200);
    expect((await complete(server, side)).status).toBe(429);
    for (let images = 0; images < 2; images++)
      expect((await server.request("POST", "/v1/images/generations", image, side.secret)).status).toBe(200);
  },
);
