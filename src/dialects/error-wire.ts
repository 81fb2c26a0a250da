/** The shapes of failed answers on the wire: OpenAI's and xAI's in one, Anthropic's, and those of the management plane. */
import { z } from "zod";
import { shape } from "./shape.js";

/** The sentences that stand for gRPC statuses in xAI bodies. */
export const sentences = {
  invalidArgument: "Client specified an invalid argument",
  unauthenticated: "The request does not have valid authentication credentials",
  permissionDenied: "The caller does not have permission to execute the specified operation",
  notFound: "Some requested entity was not found",
  alreadyExists: "Some entity that we attempted to create already exists",
  exhausted: "Some resource has been exhausted",
  unimplemented: "Operation is not implemented or not supported",
  internal: "Internal error",
  unavailable: "The service is currently unavailable",
  deadline: "Deadline expired before operation could complete",
} as const;

/** The numbers of the same gRPC statuses, as bodies of the management plane tell them. */
export const grpcCodes: Readonly<Record<keyof typeof sentences, number>> = {
  invalidArgument: 3,
  deadline: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  exhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

const openaiType = z.enum([
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "rate_limit_error",
  "insufficient_quota",
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

const openaiDetails = shape({
  message: z.string(),
  type: openaiType,
  param: z.string().nullable().describe("Dotted path of the field that is at fault."),
  code: z.string().describe("For machines, such as `model_not_found`."),
});

export const openaiError = shape({
  code: z.enum(sentences).describe("xAI's sentence."),
  error: openaiDetails,
}).meta({ id: "Error", description: "Why a request failed, as OpenAI and xAI clients read it." });

export const openaiErrorEvent = shape({ error: openaiDetails }).meta({
  id: "ErrorEvent",
  description: "Stands in place of the rest of a stream that failed half-way.",
});

export const anthropicError = shape({
  type: z.literal("error"),
  error: shape({ type: anthropicType, message: z.string() }),
  request_id: z.string(),
}).meta({
  id: "AnthropicError",
  description: "Why a request failed, or a stream half-way, as Anthropic clients read it.",
});

export const managementError = shape({
  code: z.number().min(0).max(16).meta({ type: "integer", description: "Number of a gRPC status." }),
  message: z.string(),
  details: z.array(z.never()).max(0).readonly(),
}).meta({ id: "ManagementError", description: "Why a request to the management plane failed." });

export type OpenAiErrorType = z.infer<typeof openaiType>;
export type AnthropicErrorType = z.infer<typeof anthropicType>;
export type OpenAiError = z.infer<typeof openaiError>;
export type OpenAiErrorEvent = z.infer<typeof openaiErrorEvent>;
export type AnthropicError = z.infer<typeof anthropicError>;
export type ManagementError = z.infer<typeof managementError>;
