/** Schemas of error responses: OpenAI's and xAI's combined, Anthropic's, and the management API's. */
import { z } from "zod";
import { responseObject } from "./response-fields.js";

/** The sentences that represent gRPC statuses in xAI error bodies. */
export const statusSentences = {
  invalidArgument: "Client specified an invalid argument",
  unauthenticated: "The request does not have valid authentication credentials",
  permissionDenied: "The caller does not have permission to execute the specified operation",
  notFound: "Some requested entity was not found",
  alreadyExists: "Some entity that we attempted to create already exists",
  exhausted: "Some resource has been exhausted",
  failedPrecondition: "The system is not in a state required for the operation's execution",
  unimplemented: "Operation is not implemented or not supported",
  internal: "Internal error",
  unavailable: "The service is currently unavailable",
  deadline: "Deadline expired before operation could complete",
} as const;

const openaiType = z.enum([
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "rate_limit_error",
  "insufficient_quota",
  "external_connector_error",
  "server_error",
]);

const anthropicType = z.enum([
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
  "rate_limit_error",
  "timeout_error",
  "api_error",
  "overloaded_error",
]);

const openaiDetails = responseObject({
  message: z.string(),
  type: openaiType,
  param: z.string().nullable().describe("Dotted path of the field that caused the error."),
  code: z.string().describe("Machine-readable code, such as `model_not_found`."),
});

export const openaiError = responseObject({
  code: z.enum(statusSentences).describe("xAI's status sentence."),
  error: openaiDetails,
}).meta({ id: "Error", description: "Why a request failed, in the format of OpenAI and xAI." });

export const openaiErrorEvent = responseObject({ error: openaiDetails }).meta({
  id: "ErrorEvent",
  description: "Replaces the rest of a stream that failed part-way.",
});

export const anthropicError = responseObject({
  type: z.literal("error"),
  error: responseObject({ type: anthropicType, message: z.string() }),
  request_id: z.string(),
}).meta({
  id: "AnthropicError",
  description: "Why a request or a stream failed, in the format of Anthropic.",
});

export const managementError = responseObject({
  code: z.number().min(0).max(16).meta({ type: "integer", description: "gRPC status code." }),
  message: z.string(),
  details: z.array(z.never()).max(0).readonly(),
}).meta({ id: "ManagementError", description: "Why a request to the management API failed." });

export const ollamaError = responseObject({ error: z.string() }).meta({
  id: "OllamaError",
  description:
    "Why a request failed, in the format of Ollama; also the last line of a stream that failed part-way.",
});
export type OpenAiErrorType = z.infer<typeof openaiType>;
export type AnthropicErrorType = z.infer<typeof anthropicType>;
