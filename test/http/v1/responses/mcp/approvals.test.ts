import { describe, expect, it } from "vitest";
import { startMcpServer } from "../../../../mcp-server/start.js";
import { input, model, start, toolOf } from "./app.js";

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

  it("is refused for a call that nobody has requested", async () => {
    const { answer } = await asked();
    await expect(answer(true, { approval_request_id: "mcpr_other" })).rejects.toMatchObject({
      status: 400,
      param: "input.0.approval_request_id",
    });
  });
});
