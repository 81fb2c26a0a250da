import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { createScriptedEngine } from "../../kit/scripted/engine.js";
import { writePricedImageModel } from "../../kit/models/image-models.js";
import { temporaryFolder } from "../../kit/folder.js";
import { startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { gate, until } from "../../kit/until.js";
import { openLedger, prices } from "../../kit/ledger.js";
import { createScriptedImageEngine } from "../../kit/scripted/image-engine.js";
import { drawing } from "../../http/inference/responses/image-tool-server.js";
import { createResponsesClient } from "../../kit/clients/responses.js";

const imagePrice = 700;
const contextTokens = 256;

it("an image of a response is drawn by the image model, and the ledger balances for both runs", async () => {
  const data = join(temporaryFolder(), "data");
  const models = await writePricedImageModel(join(temporaryFolder(), "models"), "tiny-painter", imagePrice);
  const engine = createScriptedEngine(
    (prompt) => (prompt.includes("was drawn") ? ["Done."] : drawing("fox")),
    { contextTokens },
  );
  const { url } = await startServer({ environment: { HEARTH_DATA: data, HEARTH_MODELS: models }, engine });
  const books = await openLedger(data, "prepaid");
  const client = createResponsesClient(url, testKey, builtInModel);
  const request = {
    input: "Draw",
    max_output_tokens: 20,
    max_tool_calls: 1,
    tools: [{ type: "image_generation", model: "tiny-painter" }],
  };
  const answer = 20 * prices.completion;
  const firstTurn = 3 * prices.prompt + answer;
  await books.buy(firstTurn - 1);
  expect((await client.send("POST", "", { model: builtInModel, ...request })).status).toBe(403);
  const bought = contextTokens * prices.prompt + answer + imagePrice;
  await books.buy(bought - (firstTurn - 1));
  const response = await client.create(request);
  const reserved = (response.usage?.input_tokens ?? 0) * prices.prompt + answer;
  const call = response.output.find(({ type }) => type === "image_generation_call");
  if (call?.type !== "image_generation_call") throw new Error("no call");
  const { format, width } = await sharp(Buffer.from(call.result ?? "", "base64")).metadata();
  expect([format, `${width}x${width}`]).toEqual(["png", call.size]);
  const cost = response.usage?.cost_in_usd_ticks ?? 0;
  const [image, text] = await books.runs.list(2);
  expect([image?.model, image?.costTicks, text?.reservedTicks]).toEqual([
    "tiny-painter",
    imagePrice,
    reserved,
  ]);
  expect(cost).toBe((text?.costTicks ?? 0) + imagePrice);
  expect(await books.balances()).toMatchObject({
    credit: BigInt(bought - cost),
    reserved: 0n,
    revenue: BigInt(cost),
  });
  expect(await books.ledger.verify()).toEqual([]);
});

it("F12: a background response that was interrupted after an image fails, and draws and charges no second one", async () => {
  const data = join(temporaryFolder(), "data");
  const models = await writePricedImageModel(join(temporaryFolder(), "models"), "tiny-painter", imagePrice);
  const environment = { HEARTH_DATA: data, HEARTH_MODELS: models };
  const begin = () => {
    const engine = createScriptedEngine((prompt) =>
      prompt.includes("was drawn") ? ["Done", gate().opened] : drawing("fox"),
    );
    const imageEngine = createScriptedImageEngine();
    return startServer({
      environment: { ...environment, HEARTH_SHUTDOWN_GRACE_MS: "0" },
      engine,
      imageEngine,
    });
  };
  const first = await begin();
  const client = createResponsesClient(first.url, testKey, builtInModel);
  const tools = [{ type: "image_generation", model: "tiny-painter" }];
  const { id } = await client.create({ input: "Draw", background: true, tools });
  const books = await openLedger(data, "unmetered");
  await until(() => first.app.engine.residents().length > 0);
  await expect
    .poll(async () => (await books.runs.list(9)).filter(({ state }) => state === "completed").length)
    .toBe(1);
  await first.app.close();
  const second = await begin();
  const failed = await createResponsesClient(second.url, testKey, builtInModel).findAs(id, "failed");
  expect(failed.error?.message).toContain("stopped");
  const runs = await books.runs.list(9);
  expect(runs.map(({ state, costTicks }) => [state, costTicks]).sort()).toEqual([
    ["completed", imagePrice],
    ["interrupted", 0],
  ]);
  expect(await books.ledger.verify()).toEqual([]);
});
