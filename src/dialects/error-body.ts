/**
 * The error table: maps each kind of error to its HTTP status, type and code in every dialect, and builds the bodies of error
 * responses. It never reads an error's internal cause.
 */
import type { z } from "zod";
import type { ErrorKind, HearthError, PromptSizes } from "../core/errors.js";
import {
  statusSentences,
  type AnthropicErrorType,
  type OpenAiErrorType,
  type anthropicError,
  type managementError,
  type ollamaError,
  type openaiError,
  type openaiErrorEvent,
} from "./error-schema.js";

/** The numbers of the same gRPC statuses, as used in error bodies of the management API. */
const grpcCodes: Readonly<Record<keyof typeof statusSentences, number>> = {
  invalidArgument: 3,
  deadline: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  exhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

type OpenAiErrorEvent = z.infer<typeof openaiErrorEvent>;

type OpenAiError = z.infer<typeof openaiError>;

type OllamaError = z.infer<typeof ollamaError>;

type ManagementError = z.infer<typeof managementError>;

type AnthropicError = z.infer<typeof anthropicError>;

/**
 * The format of an error body. OpenAI and xAI endpoints share one body that clients of both can read; the management API uses
 * the format of a gRPC gateway.
 */
export type ErrorDialect = "openai" | "anthropic" | "management" | "ollama";

interface Row {
  readonly status: number;
  readonly sentence: keyof typeof statusSentences;
  readonly openai: OpenAiErrorType;
  readonly anthropic: AnthropicErrorType;
  /** Machine-readable code, used if the error has no code of its own. */
  readonly code: string;
  /** Status on Anthropic endpoints, if it differs. */
  readonly anthropicStatus?: number;
  /** Status on management endpoints, if it differs. */
  readonly managementStatus?: number;
  /** Status on Ollama's endpoints, if it differs. */
  readonly ollamaStatus?: number;
}

const invalid = {
  sentence: "invalidArgument",
  openai: "invalid_request_error",
  anthropic: "invalid_request_error",
} as const;
const unauthenticated = {
  status: 401,
  sentence: "unauthenticated",
  openai: "authentication_error",
  anthropic: "authentication_error",
} as const;
const unavailable = {
  status: 503,
  sentence: "unavailable",
  openai: "server_error",
  anthropicStatus: 529,
} as const;

const table: Readonly<Record<ErrorKind, Row>> = {
  malformed: { ...invalid, status: 400, code: "malformed" },
  invalid_field: {
    ...invalid,
    status: 422,
    code: "invalid_field",
    anthropicStatus: 400,
    managementStatus: 400,
    ollamaStatus: 400,
  },
  invalid_value: { ...invalid, status: 400, code: "invalid_value" },
  context_length_exceeded: { ...invalid, status: 400, code: "context_length_exceeded" },
  unauthenticated: { ...unauthenticated, code: "missing_api_key" },
  bad_credential: { ...unauthenticated, code: "invalid_api_key" },
  permission_denied: {
    status: 403,
    sentence: "permissionDenied",
    openai: "permission_error",
    anthropic: "permission_error",
    code: "permission_denied",
  },
  no_credits: {
    status: 403,
    sentence: "permissionDenied",
    openai: "insufficient_quota",
    anthropic: "billing_error",
    code: "insufficient_quota",
    anthropicStatus: 402,
  },
  budget_exceeded: {
    status: 429,
    sentence: "exhausted",
    openai: "insufficient_quota",
    anthropic: "rate_limit_error",
    code: "budget_exceeded",
  },
  not_found: {
    status: 404,
    sentence: "notFound",
    openai: "not_found_error",
    anthropic: "not_found_error",
    code: "not_found",
  },
  model_not_found: {
    status: 404,
    sentence: "notFound",
    openai: "invalid_request_error",
    anthropic: "not_found_error",
    code: "model_not_found",
  },
  method_not_allowed: { ...invalid, status: 405, sentence: "unimplemented", code: "method_not_allowed" },
  unsupported_media_type: { ...invalid, status: 415, code: "unsupported_media_type" },
  body_too_large: { ...invalid, status: 413, anthropic: "request_too_large", code: "body_too_large" },
  request_timeout: {
    ...invalid,
    status: 408,
    sentence: "deadline",
    anthropic: "timeout_error",
    code: "request_timeout",
  },
  expectation_failed: { ...invalid, status: 417, code: "expectation_failed" },
  rate_limited: {
    status: 429,
    sentence: "exhausted",
    openai: "rate_limit_error",
    anthropic: "rate_limit_error",
    code: "rate_limit_exceeded",
  },
  overloaded: { ...unavailable, anthropic: "overloaded_error", code: "overloaded" },
  model_unavailable: { ...unavailable, anthropic: "overloaded_error", code: "model_unavailable" },
  conflict: { ...invalid, status: 409, sentence: "alreadyExists", code: "conflict" },
  cancelled: { ...unavailable, anthropic: "api_error", code: "cancelled" },
  dependency_failed: {
    status: 424,
    sentence: "failedPrecondition",
    openai: "external_connector_error",
    anthropic: "invalid_request_error",
    code: "dependency_failed",
    anthropicStatus: 400,
  },
  invalid_output: {
    status: 500,
    sentence: "internal",
    openai: "server_error",
    anthropic: "api_error",
    code: "invalid_output",
  },
  internal: {
    status: 500,
    sentence: "internal",
    openai: "server_error",
    anthropic: "api_error",
    code: "internal_error",
  },
};

/** Returns the HTTP status of an error response. */
export function errorStatus({ kind }: HearthError, dialect: ErrorDialect): number {
  return findStatus(kind, dialect);
}

/**
 * Returns the error codes (for Anthropic: the error types) that are possible with each status. An error may also carry its own
 * code instead.
 */
export function errorCodes(
  dialect: ErrorDialect,
  kinds: readonly ErrorKind[] = Object.keys(table) as ErrorKind[],
): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, readonly string[]>();
  for (const kind of kinds) {
    const status = findStatus(kind, dialect);
    codes.set(status, [...new Set([...(codes.get(status) ?? []), codeReaders[dialect](table[kind])])]);
  }
  return codes;
}

const codeReaders: Readonly<Record<ErrorDialect, (row: Row) => string>> = {
  openai: ({ code }) => code,
  anthropic: ({ anthropic }) => anthropic,
  management: ({ sentence }) => String(grpcCodes[sentence]),
  ollama: ({ code }) => code,
};

function findStatus(kind: ErrorKind, dialect: ErrorDialect): number {
  const { status, anthropicStatus, managementStatus, ollamaStatus } = table[kind];
  const own = {
    openai: status,
    anthropic: anthropicStatus,
    management: managementStatus,
    ollama: ollamaStatus,
  };
  return own[dialect] ?? status;
}

/** Returns the JSON body of an error response. */
export function errorBody(
  error: HearthError,
  dialect: ErrorDialect,
  requestId: string,
): OpenAiError | AnthropicError | ManagementError | OllamaError {
  return bodies[dialect](error, requestId);
}

const bodies: Readonly<
  Record<ErrorDialect, (error: HearthError, requestId: string) => ReturnType<typeof errorBody>>
> = {
  openai: openaiErrorBody,
  anthropic: anthropicErrorBody,
  management: managementErrorBody,
  ollama: ollamaErrorBody,
};

/** Returns the body of an error, which is also the last line of a stream. Clients look for a missing model in Ollama's words. */
export function ollamaErrorBody({ missingModel, message }: HearthError): OllamaError {
  return { error: missingModel === null ? message : `model '${missingModel}' not found` };
}

/** The body has no separate place for the field, so the message names it. */
function managementErrorBody({ kind, message }: HearthError): ManagementError {
  return { code: grpcCodes[table[kind].sentence], message, details: [] };
}

/** Combines xAI's status sentence and OpenAI's error object, so that clients of both can read the body. */
function openaiErrorBody(error: HearthError): OpenAiError {
  return { code: statusSentences[table[error.kind].sentence], ...openaiErrorFrame(error) };
}

function anthropicErrorBody(error: HearthError, requestId: string): AnthropicError {
  const { anthropic } = table[error.kind];
  const message = anthropicMessage(error);
  return { type: "error", error: { type: anthropic, message }, request_id: requestId };
}

/** The body has no separate place for the field, and clients recognize a prompt that is too long by the message. */
function anthropicMessage({ kind, param, message, promptSizes }: HearthError): string {
  if (kind === "context_length_exceeded") return `prompt is too long: ${sizesText(promptSizes)}${message}`;
  return param === null || message.startsWith(`${param}:`) ? message : `${param}: ${message}`;
}

/** Returns both numbers in Anthropic's wording, from which agents compute how much of a conversation to summarize. */
function sizesText(sizes: PromptSizes | null): string {
  return sizes === null ? "" : `${sizes.requestedTokens} tokens > ${sizes.tokensMax} maximum. `;
}

/** Returns the event that replaces the next chunk of an OpenAI or xAI stream when the answer fails part-way. */
export function openaiErrorFrame(error: HearthError): OpenAiErrorEvent {
  const row = table[error.kind];
  return {
    error: {
      message: openaiMessage(error),
      type: row.openai,
      param: error.param,
      code: error.code ?? row.code,
    },
  };
}

/** Some clients ignore the code and recognize a prompt that is too long by OpenAI's wording. */
function openaiMessage({ kind, message }: HearthError): string {
  return kind === "context_length_exceeded" ? `${message} The maximum context length is exceeded.` : message;
}
