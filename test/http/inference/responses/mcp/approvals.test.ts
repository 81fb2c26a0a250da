import { describe, expect, it } from "vitest";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { Script } from "../../../../kit/scripted/engine.js";
import { startMcpServer } from "../../../../kit/doubles/mcp-server.js";
import { calling, input, lastLine, model, start, toolOf } from "./app.js";

describe("the approval of a call", () => {
  async function asked() {
    const mcp = await startMcpServer();
    const { server, client } = await start(mcp);
    const tools = [toolOf(mcp, { require_approval: "always" })];
    const first = await client.responses.create({ model, input, tools });
    const request = first.output.at(-1);
    if (request?.type !== "mcp_approval_request") throw new Error("no request");
    const answer = (approve: boolean, changes: object = {}) =>
      client.responses.create({
        model,
        tools,
        previous_response_id: first.id,
        input: [{ type: "mcp_approval_response", approval_request_id: request.id, approve, ...changes }],
      });
    return { mcp, server, client, first, request, answer };
  }

  it("is requested instead of the call, and the call is executed when the user allows it", async () => {
    const { mcp, first, request, answer } = await asked();
    expect(first.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_approval_request"]);
    expect(request).toMatchObject({ server_label: "math", name: "add", arguments: '{"a":2,"b":3}' });
    expect(mcp.calls).toEqual([]);
    const second = await answer(true);
    expect(second.output.map(({ type }) => type)).toEqual(["mcp_call", "message"]);
    expect(second.output[0]).toMatchObject({
      approval_request_id: request.id,
      output: "5",
      status: "completed",
    });
    expect(second.output_text).toBe("The answer is tool: 5");
    expect(mcp.calls).toHaveLength(1);
  });

  it("leads to no call when the user refuses it, and the model reads why", async () => {
    const { mcp, answer } = await asked();
    const second = await answer(false, { reason: "too dear" });
    expect(second.output_text).toBe(
      "The answer is tool: The call was not executed: the user did not allow it: too dear",
    );
    expect(mcp.calls).toEqual([]);
  });

  it("executes the call inside the run, in which the model reads images as in other results", async () => {
    const mcp = await startMcpServer();
    const draws: Script = (prompt) =>
      prompt.includes("tool: ") ? [lastLine(prompt)] : calling("math__picture", {});
    const { server, client } = await start(mcp, draws);
    const tools = [toolOf(mcp, { require_approval: "always" })];
    const first = await client.responses.create({ model, input, tools });
    const request = first.output.at(-1);
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ type: "mcp_approval_response", approval_request_id: request?.id ?? "", approve: true }],
      stream: true,
    }))
      events.push(event);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, types.indexOf("response.content_part.added"))).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
      "response.output_item.added",
    ]);
    const last = events.at(-1);
    if (last?.type !== "response.completed") throw new Error("not completed");
    const [call, message] = last.response.output;
    expect(call).toMatchObject({ approval_request_id: request?.id, output: "Here it is:\n[image]" });
    expect(message).toMatchObject({ content: [{ text: "[image that cannot be described]" }] });
    const [, run] = await server.records();
    expect(run?.usage.promptTokens).toBe(server.engine.jobs[1]?.prompt.tokens.length);
    const replayed = await client.responses.retrieve(last.response.id);
    expect(replayed.output).toEqual(last.response.output);
  });

  it("leads to one call, however often it is given in a request, in several requests and at the same time", async () => {
    const { mcp, client, first, request, answer } = await asked();
    const approval = {
      type: "mcp_approval_response",
      approval_request_id: request.id,
      approve: true,
    } as const;
    const tools = [toolOf(mcp, { require_approval: "always" })];
    const twice = { model, tools, previous_response_id: first.id, input: [approval, approval] };
    const settled = await Promise.allSettled([client.responses.create(twice), answer(true), answer(true)]);
    expect(settled.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(mcp.calls).toHaveLength(1);
    for (const background of [false, true])
      await expect(client.responses.create({ ...twice, background })).rejects.toMatchObject({
        status: 400,
        param: "input.0.approval_request_id",
        message: expect.stringContaining("an earlier request has executed") as string,
      });
    expect(mcp.calls).toHaveLength(1);
  });

  it("leads to no second call when the answer fails after it, and the request is sent again", async () => {
    const mcp = await startMcpServer();
    const fails: Script = (prompt) =>
      prompt.includes("tool: ") ? [new Error("broken")] : calling("math__add", { a: 2, b: 3 });
    const { client } = await start(mcp, fails);
    const tools = [toolOf(mcp, { require_approval: "always" })];
    const first = await client.responses.create({ model, input, tools });
    const answer = () =>
      client.responses.create({
        model,
        tools,
        previous_response_id: first.id,
        input: [
          {
            type: "mcp_approval_response",
            approval_request_id: first.output.at(-1)?.id ?? "",
            approve: true,
          },
        ],
      });
    await expect(answer()).rejects.toMatchObject({ status: 500 });
    await expect(answer()).rejects.toMatchObject({ status: 400 });
    expect(mcp.calls).toHaveLength(1);
  });

  it("is a refusal when one of several answers to it is", async () => {
    const { mcp, client, first, request } = await asked();
    const approval = { type: "mcp_approval_response", approval_request_id: request.id } as const;
    await client.responses.create({
      model,
      tools: [toolOf(mcp, { require_approval: "always" })],
      previous_response_id: first.id,
      input: [
        { ...approval, approve: true },
        { ...approval, approve: false },
      ],
    });
    expect(mcp.calls).toEqual([]);
  });

  it("is refused for a call that nobody has requested", async () => {
    const { answer } = await asked();
    await expect(answer(true, { approval_request_id: "mcpr_other" })).rejects.toMatchObject({
      status: 400,
      param: "input.0.approval_request_id",
    });
  });
});
