import { describe, expect, it } from "vitest";
import { HearthError, modelNotFound, type ErrorKind } from "../../src/core/errors.js";
import { errorBody, errorStatus, openaiErrorFrame } from "../../src/dialects/error-body.js";

const rows: readonly [ErrorKind, number, string, string, number, string][] = [
  ["malformed", 400, "invalid_request_error", "malformed", 400, "invalid_request_error"],
  ["invalid_field", 422, "invalid_request_error", "invalid_field", 400, "invalid_request_error"],
  ["invalid_value", 400, "invalid_request_error", "invalid_value", 400, "invalid_request_error"],
  [
    "context_length_exceeded",
    400,
    "invalid_request_error",
    "context_length_exceeded",
    400,
    "invalid_request_error",
  ],
  ["unauthenticated", 401, "authentication_error", "missing_api_key", 401, "authentication_error"],
  ["bad_credential", 401, "authentication_error", "invalid_api_key", 401, "authentication_error"],
  ["permission_denied", 403, "permission_error", "permission_denied", 403, "permission_error"],
  ["no_credits", 403, "insufficient_quota", "insufficient_quota", 402, "billing_error"],
  ["not_found", 404, "not_found_error", "not_found", 404, "not_found_error"],
  ["model_not_found", 404, "invalid_request_error", "model_not_found", 404, "not_found_error"],
  ["method_not_allowed", 405, "invalid_request_error", "method_not_allowed", 405, "invalid_request_error"],
  [
    "unsupported_media_type",
    415,
    "invalid_request_error",
    "unsupported_media_type",
    415,
    "invalid_request_error",
  ],
  ["body_too_large", 413, "invalid_request_error", "body_too_large", 413, "request_too_large"],
  ["request_timeout", 408, "invalid_request_error", "request_timeout", 408, "timeout_error"],
  ["expectation_failed", 417, "invalid_request_error", "expectation_failed", 417, "invalid_request_error"],
  ["rate_limited", 429, "rate_limit_error", "rate_limit_exceeded", 429, "rate_limit_error"],
  ["overloaded", 503, "server_error", "overloaded", 529, "overloaded_error"],
  ["model_unavailable", 503, "server_error", "model_unavailable", 529, "overloaded_error"],
  ["conflict", 409, "invalid_request_error", "conflict", 409, "invalid_request_error"],
  ["internal", 500, "server_error", "internal_error", 500, "api_error"],
];

describe("the error table", () => {
  it.each(rows)(
    "maps %s to the same status and type as the hosted services",
    (kind, status, type, code, anthropicStatus, anthropicType) => {
      const error = new HearthError(kind, "Something happened.", { param: "a.b" });
      expect([errorStatus(error, "openai"), errorStatus(error, "anthropic")]).toEqual([
        status,
        anthropicStatus,
      ]);
      expect(errorBody(error, "openai", "r-1")).toMatchObject({
        error: {
          message: expect.stringMatching(/^Something happened\./) as string,
          type,
          param: "a.b",
          code,
        },
      });
      expect(errorBody(error, "anthropic", "r-1")).toEqual({
        type: "error",
        error: { type: anthropicType, message: expect.stringMatching(/: Something happened\.$/) as string },
        request_id: "r-1",
      });
    },
  );

  it.each<[ErrorKind, number, number]>([
    ["malformed", 400, 3],
    ["invalid_field", 400, 3],
    ["invalid_value", 400, 3],
    ["unauthenticated", 401, 16],
    ["bad_credential", 401, 16],
    ["permission_denied", 403, 7],
    ["not_found", 404, 5],
    ["method_not_allowed", 405, 12],
    ["conflict", 409, 6],
    ["rate_limited", 429, 8],
    ["internal", 500, 13],
    ["overloaded", 503, 14],
  ])("maps %s of the management API to the body of a gRPC gateway", (kind, status, code) => {
    const error = new HearthError(kind, "Something happened.", { param: "a.b" });
    expect(errorStatus(error, "management")).toBe(status);
    expect(errorBody(error, "management", "r-1")).toEqual({
      code,
      message: "Something happened.",
      details: [],
    });
  });

  it("returns a combined body that clients of OpenAI and of xAI can read", () => {
    expect(errorBody(modelNotFound("gpt-x"), "openai", "r-1")).toEqual({
      code: "Some requested entity was not found",
      error: {
        message: "The model 'gpt-x' does not exist or your team has no access to it.",
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      },
    });
  });

  it.each([
    [new HearthError("invalid_value", "too high", { param: "top_k" }), "top_k: too high"],
    [new HearthError("invalid_value", "top_k: too high", { param: "top_k" }), "top_k: too high"],
    [new HearthError("not_found", "No such path."), "No such path."],
    [
      new HearthError("context_length_exceeded", "9 tokens.", { param: "messages" }),
      "prompt is too long: 9 tokens.",
    ],
    [
      new HearthError("context_length_exceeded", "Too long.", {
        promptSizes: { tokensMax: 7, requestedTokens: 9 },
      }),
      "prompt is too long: 9 tokens > 7 maximum. Too long.",
    ],
  ])("names the field in the message if the body has no field for it", (error, message) => {
    expect(errorBody(error, "anthropic", "r-1")).toMatchObject({ error: { message } });
  });

  it("describes a prompt that is too long with the wording that OpenAI clients look for", () => {
    const error = new HearthError("context_length_exceeded", "9 tokens.", { param: "messages" });
    const message = "9 tokens. The maximum context length is exceeded.";
    expect(openaiErrorFrame(error)).toMatchObject({ error: { message, code: "context_length_exceeded" } });
  });

  it("keeps an error's own code and does not expose its cause", () => {
    const error = new HearthError("internal", "Oops.", { code: "own", cause: new Error("/etc/secret") });
    expect(openaiErrorFrame(error)).toEqual({
      error: { message: "Oops.", type: "server_error", param: null, code: "own" },
    });
    expect(
      JSON.stringify([errorBody(error, "openai", "r"), errorBody(error, "anthropic", "r")]),
    ).not.toContain("secret");
  });
});
