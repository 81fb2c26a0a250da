/** The errors of a pull. Each has one public sentence; `code` says which it is. */
import { HearthError, type ErrorKind } from "../../core/errors.js";
import { sizeText } from "../../core/report/size-text.js";
import { grouped, quoted } from "../gguf/refusal.js";

/** Creates the error for something that cannot be pulled because of how it is named. */
export function badReference(what: string, reason: string): HearthError {
  return new HearthError("invalid_value", `${quoted(what)} cannot be pulled: ${reason}`, {
    param: "model",
    code: "bad_reference",
  });
}

/** Creates the error for something that does not exist. */
export function notThere(message: string): HearthError {
  return new HearthError("model_not_found", message, { param: "model", code: "not_found" });
}

/** Creates the error for an address that must not be asked. */
export function refusedAddress(host: string, reason: string): HearthError {
  return failed("permission_denied", "refused_address", `${quoted(host)} is not asked: ${reason}`);
}

export function noNetwork(host: string, cause: unknown): HearthError {
  const message = `${quoted(host)} cannot be reached${readCode(cause)}; check the network, HTTPS_PROXY and HF_ENDPOINT.`;
  return failed("model_unavailable", "no_network", message, cause);
}

/** Creates the error for a disk without enough space. @param space in bytes; null: it ran out while a file was written */
export function diskFull(
  folder: string,
  space: { readonly needed: number; readonly free: number } | null,
): HearthError {
  const lack =
    space === null ? "is full" : `has ${sizeText(space.free)} free, and ${sizeText(space.needed)} are needed`;
  const message = `The disk of ${folder} ${lack}. Free some space and pull again; what was downloaded is kept.`;
  return failed("model_unavailable", "disk_full", message);
}

export function wrongSize(file: string, announced: number, actual: number): HearthError {
  const message = `${quoted(file)} was announced with ${grouped(announced)} bytes, and the server sends ${grouped(actual)}; nothing was kept.`;
  return failed("model_unavailable", "wrong_size", message);
}

export function wrongHash(file: string, expected: string, actual: string): HearthError {
  const message = `${quoted(file)} has the SHA-256 ${actual}, not ${expected} as announced: it was damaged or replaced on the way, and was removed. Pull again.`;
  return failed("model_unavailable", "wrong_hash", message);
}

export function notGguf(file: string, reason: string): HearthError {
  return failed("model_unavailable", "not_gguf", `${quoted(file)} is not a usable GGUF file: ${reason}`);
}

export function unusableSource(file: string, reason: string): HearthError {
  return failed("model_unavailable", "unusable_source", `${quoted(file)} cannot be downloaded: ${reason}`);
}

/** Creates the error for a status that the hub or the source of a URL answered with. */
export function badStatus(status: number, what: string, page: string | null, hasToken: boolean): HearthError {
  if (status === 401 || status === 403) return notAllowed(status, what, page, hasToken);
  if (status === 404 || status === 410) return notThere(`${quoted(what)} does not exist there (${status}).`);
  if (status === 429)
    return failed(
      "rate_limited",
      "rate_limited",
      `The server of ${quoted(what)} refuses more requests for now (429); pull again later.`,
    );
  return failed(
    "model_unavailable",
    "bad_status",
    `The server of ${quoted(what)} answered with the status ${status}.`,
  );
}

/** @param page the page of the repository; null for a plain URL. */
function notAllowed(status: number, what: string, page: string | null, hasToken: boolean): HearthError {
  const start = `${quoted(what)} is not open to everyone (${status})`;
  if (page === null) return failed("permission_denied", "gated", `${start}.`);
  const token = hasToken
    ? "check that HF_TOKEN belongs to an account that may read it"
    : "set HF_TOKEN to a token of that account";
  return failed(
    "permission_denied",
    "gated",
    `${start}, or does not exist: accept its licence at ${page} and ${token}.`,
  );
}

function failed(kind: ErrorKind, code: string, message: string, cause?: unknown): HearthError {
  return new HearthError(kind, message, { code, cause });
}

/** Returns whether an error says that the disk, or the quota of the user, is full. */
export function isDiskFull(thrown: unknown): boolean {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}

function readCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? ` (${cause.code})`
    : "";
}
