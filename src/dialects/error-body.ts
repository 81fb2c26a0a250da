/**
 * The one error table: what each kind of error becomes on the wire, in status and in words, for every dialect. It owns the
 * bodies of failed answers; it decides nothing about when something fails, and it never looks at an error's cause.
 */
import type { ErrorKind, HearthError } from "../core/errors.js";
import {
  grpcCodes,
  sentences,
  type AnthropicError,
  type AnthropicErrorType,
  type ManagementError,
  type OpenAiError,
  type OpenAiErrorEvent,
  type OpenAiErrorType,
} from "./error-wire.js";

/**
 * Whose words an error is told in; OpenAI and xAI routes share one body that clients of both can read, and the management
 * plane speaks as a gRPC gateway does.
 */
export type ErrorDialect = "openai" | "anthropic" | "management";

interface Row {
  readonly status: number;
  readonly sentence: keyof typeof sentences;
  readonly openai: OpenAiErrorType;
  readonly anthropic: AnthropicErrorType;
  /** Machine-readable code of an error that carries none of its own. */
  readonly code: string;
  /** Where Anthropic routes answer with another status. */
  readonly anthropicStatus?: number;
  /** Where the management plane does. */
  readonly managementStatus?: number;
}

const invalid = {
  sentence: "invalidArgument",
  openai: "invalid_request_error",
  anthropic: "invalid_request_error",
} as const;
const unknownCaller = {
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
  },
  invalid_value: { ...invalid, status: 400, code: "invalid_value" },
  context_length_exceeded: { ...invalid, status: 400, code: "context_length_exceeded" },
  unauthenticated: { ...unknownCaller, code: "missing_api_key" },
  bad_credential: { ...unknownCaller, code: "invalid_api_key" },
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

/** The HTTP status an error is answered with. */
export function errorStatus({ kind }: HearthError, dialect: ErrorDialect): number {
  return statusOf(kind, dialect);
}

/** By status, the codes that errors are told with (the types, to Anthropic clients); an error may have a code of its own. */
export function errorCodes(
  dialect: ErrorDialect,
  kinds: readonly ErrorKind[] = Object.keys(table) as ErrorKind[],
): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, readonly string[]>();
  for (const kind of kinds) {
    const status = statusOf(kind, dialect);
    codes.set(status, [...new Set([...(codes.get(status) ?? []), codeTold[dialect](table[kind])])]);
  }
  return codes;
}

const codeTold: Readonly<Record<ErrorDialect, (row: Row) => string>> = {
  openai: ({ code }) => code,
  anthropic: ({ anthropic }) => anthropic,
  management: ({ sentence }) => String(grpcCodes[sentence]),
};

function statusOf(kind: ErrorKind, dialect: ErrorDialect): number {
  const { status, anthropicStatus = status, managementStatus = status } = table[kind];
  return { openai: status, anthropic: anthropicStatus, management: managementStatus }[dialect];
}

/** The JSON body an error is answered with. */
export function errorBody(
  error: HearthError,
  dialect: ErrorDialect,
  requestId: string,
): OpenAiError | AnthropicError | ManagementError {
  if (dialect === "anthropic") return anthropicErrorBody(error, requestId);
  return dialect === "management" ? managementErrorBody(error) : openaiErrorBody(error);
}

/** The message names the field, where there is one: there is no other place for it. */
function managementErrorBody({ kind, message }: HearthError): ManagementError {
  return { code: grpcCodes[table[kind].sentence], message, details: [] };
}

/** xAI's sentence beside OpenAI's object: read without loss by the clients of both. */
function openaiErrorBody(error: HearthError): OpenAiError {
  return { code: sentences[table[error.kind].sentence], ...openaiErrorFrame(error) };
}

function anthropicErrorBody(error: HearthError, requestId: string): AnthropicError {
  const { anthropic } = table[error.kind];
  const message = anthropicMessage(error);
  return { type: "error", error: { type: anthropic, message }, request_id: requestId };
}

/** There is no place for the field beside the message, and clients know a prompt that does not fit by its words. */
function anthropicMessage({ kind, param, message }: HearthError): string {
  if (kind === "context_length_exceeded") return `prompt is too long: ${message}`;
  return param === null || message.startsWith(`${param}:`) ? message : `${param}: ${message}`;
}

/** What an OpenAI or xAI stream carries in place of its next chunk when an answer fails half-way. */
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

/** Some clients look at no code, and know a prompt that does not fit by OpenAI's words. */
function openaiMessage({ kind, message }: HearthError): string {
  return kind === "context_length_exceeded" ? `${message} The maximum context length is exceeded.` : message;
}
