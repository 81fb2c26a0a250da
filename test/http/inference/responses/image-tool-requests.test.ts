import { describe, expect, it } from "vitest";
import { startServer } from "../../../kit/server.js";
import { keys } from "../../../kit/server/six-keys.js";
import { drawing, start, tools } from "./image-tool-server.js";
import { createResponsesClient } from "../../../kit/clients/responses.js";

const create = { model: "ember-1m", input: "Draw a fox", tools };
const imageTool = (fields: object) => ({ ...create, tools: [{ type: "image_generation", ...fields }] });

describe("a request with image_generation", () => {
  it.each([
    [{ size: "big" }, "tools.0.size"],
    [{ quality: "best" }, "tools.0.quality"],
    [{ output_format: "gif" }, "tools.0.output_format"],
    [{ output_compression: 101 }, "tools.0.output_compression"],
    [{ background: "transparent" }, "tools.0.background"],
    [{ moderation: "high" }, "tools.0.moderation"],
    [{ partial_images: 4 }, "tools.0.partial_images"],
    [{ action: "edit" }, "tools.0.action"],
    [{ input_image_mask: { file_id: "file-1" } }, "tools.0.input_image_mask"],
  ])("with %j is rejected by the name of the field", async (fields, param) => {
    const { client } = await start();
    const { status, body } = await client.send("POST", "", imageTool(fields));
    expect([status, body]).toMatchObject([400, { error: { param } }]);
  });

  it("draws with the settings of the tool", async () => {
    const { client } = await start();
    const fields = { model: "painter", size: "1024x1536", output_format: "webp", output_compression: 40 };
    const { output } = await client.create(imageTool({ ...fields, quality: "high", background: "auto" }));
    const call = output.find(({ type }) => type === "image_generation_call");
    if (call?.type !== "image_generation_call") throw new Error("no call");
    const job = JSON.parse(Buffer.from(call.result ?? "", "base64").toString()) as object;
    expect(job).toMatchObject({ prompt: "fox", format: "webp", quality: 40 });
    expect(call.output_format).toBe("webp");
  });

  it("of a server without an image model is left out with a warning, or rejected when it must be called", async () => {
    const { url } = await startServer({ engine: () => ["Hello."] });
    const client = createResponsesClient(url);
    const answer = await client.send("POST", "", create);
    expect([answer.status, answer.body]).toMatchObject([200, { tools: [] }]);
    expect(answer.headers.get("x-hearth-warning")).toContain("image_generation");
    const forced = await client.send("POST", "", { ...create, tool_choice: { type: "image_generation" } });
    expect([forced.status, forced.body]).toMatchObject([400, { error: { param: "tool_choice" } }]);
  });

  it("of a key without the ACL for images is left out with a warning, or 403 when it must be called", async () => {
    const { server } = await start(() => ["Hello."]);
    const client = createResponsesClient(server.url, keys.chatter);
    const answer = await client.send("POST", "", create);
    expect([answer.status, answer.body]).toMatchObject([200, { tools: [] }]);
    expect(answer.headers.get("x-hearth-warning")).toContain("api-key:endpoint:image");
    for (const choice of [tools[0], "required", { type: "allowed_tools", mode: "required", tools }])
      expect((await client.send("POST", "", { ...create, tool_choice: choice })).status).toBe(403);
  });

  it("that names an image model which does not exist never draws with another one", async () => {
    const { server, client } = await start(() => ["Hello."]);
    const named = imageTool({ model: "gpt-image-1" });
    const answer = await client.send("POST", "", named);
    expect(answer.headers.get("x-hearth-warning")).toContain("gpt-image-1");
    expect((await client.send("POST", "", { ...named, tool_choice: tools[0] })).status).toBe(404);
    expect(server.engine.jobs.map((job) => job.tools)).toEqual([[]]);
  });
});

describe("an image of an earlier response", () => {
  const seen: string[] = [];
  const script = (prompt: string) => {
    seen.push(prompt);
    return prompt.includes("was drawn") ? ["Here it is."] : drawing("fox");
  };
  const drawnOnce = "user: Draw a fox\nassistant: \ntool: The image was drawn and is shown to the user.";

  it("is known to the model as a call and its result, by its id, in a chain and as an item of the input", async () => {
    const { client } = await start(script);
    const first = await client.create(create);
    const follow = { role: "user", content: "Again?" };
    const question = [{ role: "user", content: "Draw a fox" }];
    const [call] = first.output;
    const histories = [
      { previous_response_id: first.id, input: "Again?" },
      { input: [...question, ...first.output, follow], store: false },
      { input: [...question, { type: "item_reference", id: call?.id }, follow] },
    ];
    for (const history of histories) {
      await client.create({ ...history, tools });
      expect(seen.at(-1)?.startsWith(drawnOnce)).toBe(true);
    }
  });

  it("of another service is accepted without its image", async () => {
    const { client } = await start(script);
    const item = { type: "image_generation_call", id: "ig_1", status: "failed", result: null };
    await client.create({ input: [{ role: "user", content: "Draw" }, item, { role: "user", content: "?" }] });
    expect(seen.at(-1)).toContain("tool: The image was not drawn.");
  });
});
