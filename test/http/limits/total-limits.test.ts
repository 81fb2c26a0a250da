import { describe, expect, it } from "vitest";
import { startServer } from "../../kit/server.js";
import { builtInModel } from "../../kit/server/settings.js";
import { createLimitedTeam, readResponse } from "../../kit/server/limited.js";

describe("limits of a team", () => {
  it("with the model 'total' apply to all models together, in addition to those on each model", async () => {
    const server = await createLimitedTeam(await startServer({ accounts: "managed" }));
    const tokens = async (model: string) => {
      const answer = server.post("/v1/tokenize-text", { model, text: "Hello" });
      const { status, text } = await readResponse(answer);
      return status === 200 ? 200 : (JSON.parse(text) as { error: { message: string } }).error.message;
    };
    await server.limit({ qpm: 3, tpm: 100_000 }, "total");
    await server.limit({ qpm: 1 }, "gpt-4o");
    const answers = [];
    for (const model of ["gpt-4o", "gpt-4o", builtInModel, "gpt-4", "gpt-4"])
      answers.push(await tokens(model));
    expect(answers).toEqual([
      200,
      expect.stringContaining("for gpt-4o in team") as string,
      200,
      200,
      expect.stringContaining("for all models in team") as string,
    ]);
    const { body } = await server.request("GET", `/auth/teams/${server.teamId}/limits`);
    expect(body).toEqual({
      limits: [
        { model: "gpt-4o", qpm: 1 },
        { model: "total", qpm: 3, tpm: "100000" },
      ],
    });
  });
});
