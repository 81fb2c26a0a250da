import { join } from "node:path";
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { ResponseObject } from "../../../../src/dialects/openai-responses/response-schema.js";
import { statusOf } from "../../../dialects/openai-responses/reader.js";
import { weather } from "../../../dialects/openai-responses/requests.js";
import { keys } from "../../../kit/server/six-keys.js";
import { gate, until } from "../../../kit/until.js";
import { createScriptedImageEngine } from "../../../kit/scripted/image-engine.js";
import { openAgain } from "../../../kit/databases/new-database.js";
import { connect } from "../websocket/client.js";
import { drawing, drawsOnce, start, tools } from "./image-tool-server.js";
import { lastResponse, toolCallSteps } from "../../../kit/clients/responses.js";

const typesOf = ({ output }: ResponseObject) => output.map(({ type }) => type);

describe("a call of image_generation", () => {
  it("is executed within the response, and the model answers with its result, to the official client", async () => {
    const { server } = await start();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
    const response = await client.responses.create({ model: "ember-1m", input: "Draw a fox", tools });
    expect(response.status).toBe("completed");
    expect(response.output.map(({ type }) => type)).toEqual(["message", "image_generation_call", "message"]);
    expect(response.output_text).toBe("I will draw. Here it is.");
    const [, call] = response.output;
    if (call?.type !== "image_generation_call") throw new Error("no call");
    expect(call).toMatchObject({ status: "completed", revised_prompt: "fox", size: "64x64" });
    const job = JSON.parse(Buffer.from(call.result ?? "", "base64").toString()) as object;
    expect(job).toMatchObject({ prompt: "fox", format: "png" });
    expect(response.tools).toEqual(tools);
  });

  it("streams its events in order to the official client, and the same response as JSON", async () => {
    const { server, client: plain } = await start();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys.ada, maxRetries: 0 });
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({
      model: "ember-1m",
      input: "Draw a fox",
      tools: [{ type: "image_generation", partial_images: 2, output_format: "jpeg" }],
      stream: true,
    }))
      events.push(event);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "response.in_progress")).toHaveLength(1);
    expect(types.slice(types.indexOf("response.image_generation_call.in_progress") - 1)).toEqual([
      "response.output_item.added",
      "response.image_generation_call.in_progress",
      "response.image_generation_call.generating",
      "response.image_generation_call.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    const last = events.at(-1);
    if (last?.type !== "response.completed") throw new Error("not completed");
    expect(await plain.find(last.response.id)).toEqual(last.response);
  });

  it("is one run with the tokens of all turns, and a run of the image model with its own price", async () => {
    const { server, client } = await start(drawsOnce, { cachedTokens: 4 });
    const { usage } = await client.create({ input: "Draw a fox", tools });
    const [text, image, ...others] = await server.records();
    expect(others).toEqual([]);
    expect(image).toMatchObject({
      model: "painter",
      state: "completed",
      costTicks: 700,
      teamId: text?.teamId,
      apiKeyId: text?.apiKeyId,
      endpoint: "/v1/responses",
    });
    const [first, second] = server.engine.jobs.map(({ prompt }) => prompt.tokens.length);
    expect(text?.usage).toMatchObject({ promptTokens: (first ?? 0) + (second ?? 0), cachedTokens: 8 });
    expect(usage).toMatchObject({
      input_tokens: text?.usage.promptTokens,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 4 + 6 + 3,
      num_server_side_tools_used: 1,
      cost_in_usd_ticks: (text?.costTicks ?? 0) + 700,
    });
  });

  it("may be one of several in a turn, of which each has its item", async () => {
    const { client } = await start((prompt) =>
      prompt.includes("was drawn") ? ["Both."] : drawing("fox", "owl"),
    );
    const response = await client.create({ input: "Draw", tools });
    expect(
      response.output.map((item) => ("revised_prompt" in item ? item.revised_prompt : item.type)),
    ).toEqual(["fox", "owl", "message"]);
    expect(new Set(response.output.map(({ id }) => id)).size).toBe(3);
  });

  it("together with one of a client's function is executed, and the client gets its own call", async () => {
    const { server, client } = await start(() => [
      ...drawing("fox").slice(0, -1),
      ...toolCallSteps("call_2", "get_weather", "{}").map((step) =>
        typeof step === "object" && "index" in step ? { ...step, index: 1 } : step,
      ),
    ]);
    const response = await client.create({ input: "Draw", tools: [...tools, weather] });
    expect(typesOf(response)).toEqual(["image_generation_call", "function_call"]);
    expect(response.output.map(statusOf)).toEqual(["completed", "completed"]);
    expect(server.engine.jobs).toHaveLength(1);
  });

  it("that fails is an item that failed, costs nothing, and the model reads why", async () => {
    const { server, client } = await start((prompt) =>
      prompt.includes("The call failed: prompt: must have") ? ["I cannot."] : drawing("x".repeat(4_001)),
    );
    const response = await client.create({ input: "Draw", tools });
    expect(response.output.map((item) => [item.type, statusOf(item)])).toEqual([
      ["image_generation_call", "failed"],
      ["message", "completed"],
    ]);
    expect((await server.records()).map(({ model }) => model)).toEqual(["ember-1m"]);
  });

  it("is not executed beyond max_tool_calls, and the tool is withheld afterwards", async () => {
    const { server, client } = await start((prompt) =>
      prompt.includes("as many calls") ? ["One."] : drawing("fox", "owl"),
    );
    const response = await client.create({ input: "Draw", tools, max_tool_calls: 1 });
    expect(response.output.map(statusOf)).toEqual(["completed", "failed", "completed"]);
    expect(server.engine.jobs.map(({ toolChoice }) => toolChoice.mode)).toEqual(["auto", "none"]);
    const [text] = await server.records();
    expect(response.usage?.cost_in_usd_ticks).toBe((text?.costTicks ?? 0) + 700);
  });

  it("ends after 16 turns when the model calls without end", async () => {
    const { server, client } = await start(() => drawing("fox"), { contextTokens: 4096 });
    const response = await client.create({ input: "Draw", tools });
    expect(server.engine.jobs).toHaveLength(16);
    expect(response.output.map(statusOf)).toEqual([...Array<string>(15).fill("completed"), "failed"]);
    expect((await server.records()).filter(({ model }) => model === "painter")).toHaveLength(15);
  });

  it("must not exceed max_output_tokens together with the text of all turns", async () => {
    const { server, client } = await start();
    const response = await client.create({ input: "Draw", tools, max_output_tokens: 11 });
    expect(response).toMatchObject({ status: "incomplete", usage: { output_tokens: 10 } });
    expect(server.engine.jobs.map(({ maxTokens }) => maxTokens)).toEqual([11, 1]);
    const none = await client.create({ input: "Draw", tools, max_output_tokens: 10 });
    expect([none.status, typesOf(none)]).toEqual(["incomplete", ["message", "image_generation_call"]]);
  });

  it("is forced by tool_choice in the first turn only", async () => {
    const { server, client } = await start();
    await client.create({ input: "Draw", tools, tool_choice: tools[0] });
    expect(server.engine.jobs.map(({ toolChoice }) => toolChoice)).toEqual([
      {
        mode: "required",
        names: ["image_generation"],
        parallel: false,
        forced: { parallelAfterwards: true },
      },
      { mode: "auto", names: null, parallel: true },
    ]);
  });

  it("in the background has the same items, and its stream is replayed from the log", async () => {
    const { client } = await start();
    const frames = await client.stream({ input: "Draw", tools, background: true });
    const events = await frames.events();
    const { id } = lastResponse(events);
    expect(typesOf(await client.findAs(id, "completed"))).toEqual([
      "message",
      "image_generation_call",
      "message",
    ]);
    expect(await (await client.follow(id)).events()).toEqual(events);
  });

  it("over a WebSocket has the events of a stream over HTTP, and the next turn knows the image", async () => {
    const { server, client } = await start();
    const socket = await connect(server.url);
    const typesOfEvents = (events: readonly { readonly type: string }[]) =>
      // Text arrives in as many deltas as the network makes of it.
      events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    for (const store of [true, false]) {
      const messages = await socket.turn({ input: "Draw a fox", tools, store });
      const overHttp = await client.stream({ input: "Draw a fox", tools, store });
      expect(typesOfEvents(messages)).toEqual(typesOfEvents(await overHttp.events()));
      const drawn = messages.at(-1)?.response;
      expect(drawn?.status).toBe("completed");
      const next = { input: "And now?", previous_response_id: drawn?.id, store };
      expect(typesOf(await socket.respond(next))).toEqual(["message"]);
    }
  });

  it("over a WebSocket ends with the client that leaves", async () => {
    const drawn = gate();
    let signal: AbortSignal | null = null;
    const imageEngine = createScriptedImageEngine({
      onStep: (_job, _step, given) => {
        signal = given;
        return drawn.opened;
      },
    });
    const { server } = await start(drawsOnce, { imageEngine });
    const client = await connect(server.url);
    client.send({ type: "response.create", model: "ember-1m", input: "Draw a fox", tools });
    await until(() => signal !== null);
    client.socket.terminate();
    await until(() => signal?.aborted === true);
    drawn.open();
    await until(() => server.app.liveRuns.size === 0);
    await server.close();
    const [text, image] = await server.records();
    expect([text?.state, image?.state, image?.costTicks]).toEqual(["aborted", "aborted", 0]);
  });

  it("F5: ends with the client that leaves: the image is not drawn on, and nothing is charged twice", async () => {
    const drawn = gate();
    let signal: AbortSignal | null = null;
    const imageEngine = createScriptedImageEngine({
      onStep: (_job, _step, given) => {
        signal = given;
        return drawn.opened;
      },
    });
    const { server, client } = await start(drawsOnce, { imageEngine });
    const frames = await client.stream({ input: "Draw", tools });
    await frames.until("response.image_generation_call.generating");
    await until(() => signal !== null);
    frames.leave();
    await until(() => signal?.aborted === true);
    drawn.open();
    await until(() => server.app.liveRuns.size === 0);
    await server.close();
    const [text, image] = await server.records();
    expect([text?.state, image?.state, image?.costTicks]).toEqual(["aborted", "aborted", 0]);
    expect([server.engine.leases, imageEngine.leases]).toEqual([0, 0]);
  });
});

it("M7: a call of image_generation takes no tokens of the limits on its model", async () => {
  const { server, client } = await start();
  const database = await openAgain(join(server.data, "hearth.db"));
  const limit = { teamId: "team-1", model: "painter", qps: null, qpm: null, tpm: 1 };
  await database.kysely.insertInto("teamLimits").values(limit).execute();
  await database.close();
  const { output } = await client.create({ input: "Draw a fox", tools });
  expect(output.map(({ type }) => type)).toEqual(["message", "image_generation_call", "message"]);
});
