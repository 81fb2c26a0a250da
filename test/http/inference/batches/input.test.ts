import { describe, expect, it } from "vitest";
import { startServer, fileServer } from "../../../kit/server.js";
import { chatLine, clientOf, createBatch, whenEnded } from "../../../kit/clients/batches.js";

const shared = fileServer({
  accounts: "managed",
  environment: {
    HEARTH_BATCH_LINES_MAX: "3",
    HEARTH_BODY_BYTES_MAX: "2000",
  },
});

describe("the input of a batch is refused", () => {
  const good = chatLine("a", "Hello");
  it.each([
    ["a line that is no JSON", [good, "{"], "invalid_json_line", 2, null],
    ["a line that is too deep", ["[".repeat(200)], "invalid_json_line", 1, null],
    ["a line without custom_id", [{ ...good, custom_id: undefined }], "invalid_request", 1, "custom_id"],
    ["a custom_id twice", [good, good], "duplicate_custom_id", 2, "custom_id"],
    ["another method", [{ ...good, method: "GET" }], "invalid_request", 1, "method"],
    ["another endpoint", [{ ...good, url: "/v1/responses" }], "mismatched_endpoint", 1, "url"],
    [
      "a second model",
      [good, chatLine("b", "Hello", { model: "other" })],
      "mismatched_model",
      2,
      "body.model",
    ],
    ["an unknown model", [chatLine("b", "Hello", { model: "other" })], "model_not_found", 1, "body.model"],
    ["no lines", ["\n"], "empty_file", null, null],
    [
      "too many lines",
      [good, chatLine("b", "x"), chatLine("c", "x"), chatLine("d", "x")],
      "too_many_requests",
      4,
      null,
    ],
    ["a line that is too long", [chatLine("b", "x".repeat(3_000))], "invalid_json_line", 1, null],
    [
      "a line that is too long before others",
      [chatLine("b", "x".repeat(3_000)), good],
      "invalid_json_line",
      1,
      null,
    ],
  ] as const)("with %s: the batch fails and names the line", async (_, lines, code, line, param) => {
    const server = shared();
    const client = clientOf(server);
    const batch = await whenEnded(client, await createBatch(client, lines));
    expect(batch.status).toBe("failed");
    expect(batch.errors?.data?.at(-1)).toMatchObject({ code, line, param });
    expect(batch.failed_at).not.toBeNull();
  });

  it("with all errors at once, up to 100", async () => {
    const server = await startServer({ accounts: "managed" });
    const client = clientOf(server);
    const batch = await whenEnded(
      client,
      await createBatch(
        client,
        Array.from({ length: 200 }, () => "{"),
      ),
    );
    expect(batch.errors?.data).toHaveLength(100);
  });
});
