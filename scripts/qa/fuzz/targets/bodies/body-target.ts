import { isDeepStrictEqual } from "node:util";
import { HearthError } from "../../../../../src/core/errors.js";
import { parseJson, type JsonBody } from "../../../../../src/core/json/parse-json.js";
import { check } from "../../../checks/violation.js";
import { toLabel, type FuzzTarget } from "../../target.js";

const messageCharsMax = 1000;

/** Reads a body as the endpoint does. @param text the body, where a number of it has many digits */
type Parse = (body: unknown, text: string | null) => unknown;

/** Returns the target of one request body. */
export function bodyTarget(corpus: string, parse: Parse): FuzzTarget {
  return {
    guarantee: "a body gives a request, or an error that names its field",
    format: "json",
    bytesMax: 8192,
    msMax: 2000,
    corpus,
    async run(input) {
      let body: JsonBody;
      try {
        body = await parseJson(Buffer.from(input));
      } catch (thrown) {
        if (thrown instanceof HearthError && thrown.kind === "malformed") return "malformed";
        throw thrown;
      }
      return parseBody(body, parse);
    },
  };
}

function parseBody({ value: body, text }: JsonBody, parse: Parse): string {
  const before = structuredClone(body);
  try {
    const request = parse(body, text);
    check(isDeepStrictEqual(body, before), () => "parsing changed the body");
    check(
      JSON.stringify(request) === JSON.stringify(parse(before, text)),
      () => "parsing again gives another request",
    );
    return `request ${describeShape(request)}`;
  } catch (thrown) {
    if (!(thrown instanceof HearthError)) throw thrown;
    return checkRefusal(thrown, body);
  }
}

/** Checks an error and returns its label. */
function checkRefusal({ kind, param, message }: HearthError, body: unknown): string {
  check(kind === "invalid_field" || kind === "invalid_value", () => `the error is of the kind ${kind}`);
  check(message.length <= messageCharsMax, () => `the message has ${message.length} characters`);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    check(kind === "invalid_field", () => "the error does not say that the body must be an object");
    return `${kind} no object`;
  }
  check(param !== null && param !== "", () => `the error names no field: ${message}`);
  check(message.startsWith(`${param}: `), () => `the message does not begin with ${param}: ${message}`);
  check(!/(: | be )$/.test(message), () => `the message says nothing: ${message}`);
  const path = (param ?? "").split(".").map((key) => (/^[a-z_]+$/.test(key) ? key : "*"));
  return `${kind} ${path.slice(0, 3).join(".")} ${toLabel(message.slice(String(param).length)).slice(0, 60)}`;
}

/** Names the fields of a request that are not at their most common value, without what is in them. */
function describeShape(request: unknown): string {
  const inner =
    typeof request === "object" && request !== null && "request" in request ? request.request : request;
  if (typeof inner !== "object" || inner === null) return typeof inner;
  return Object.entries(inner)
    .map(([key, value]: readonly [string, unknown]) => `${key}:${value === null ? "null" : typeof value}`)
    .join(" ");
}
