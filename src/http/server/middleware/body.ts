/** Reads the JSON body of a request and checks its media type, encoding, size and depth. Dialects check the content. */
import type { IncomingMessage } from "node:http";
import { HearthError } from "../../../core/errors.js";
import { parseJson, type JsonBody } from "../../../core/json/parse-json.js";
import { smallBodyBytesMax, type BodyBudget, type BodyPlace } from "../../../core/requests/body-budget.js";
import type { Context } from "../context.js";
import { isFromPage } from "./from-page.js";
import { admitBody, declaredBytes } from "./protocol.js";
import { reserveUntilEnd } from "./reserve-body.js";

/** Which bodies of a route are accepted. */
export interface BodyRules {
  readonly bodyBytesMax: number;
  /** Which clients may declare JSON as a form, which is the default of `curl -d`. */
  readonly formsAreJson: "none" | "bearers" | "programs";
}

/**
 * Reads and parses the body of a request. Its bytes are reserved from its first one until the request has ended.
 * @throws HearthError `unsupported_media_type` for a body that is empty, compressed or not declared as JSON; `body_too_large`;
 * `malformed` for a body that is not UTF-8, not JSON, or nested too deeply; `overloaded` when there is no memory for it in time.
 */
export async function readJsonBody(
  { req, res }: Context,
  budget: BodyBudget,
  { bodyBytesMax, formsAreJson }: BodyRules,
): Promise<JsonBody> {
  checkMediaType(req, canDeclareForm(req, formsAreJson));
  const declared = declaredBytes(req);
  if (declared > bodyBytesMax) throw tooLarge(bodyBytesMax);
  const place = reserveUntilEnd(res, budget);
  await place.reserve(declared === 0 ? Math.min(smallBodyBytesMax, bodyBytesMax) : declared);
  admitBody(req, res);
  const bytes = await collect(req, place, { bodyBytesMax, declared });
  if (bytes.length === 0) throw unsupportedMedia("The request has no body; a JSON object is expected.");
  return budget.work(bytes.length, () => parseJson(bytes));
}

/**
 * Whether a JSON body that is declared as a form is accepted: none from a web page is. A page can send a form to another origin, with
 * the cookies of that origin, but without an Authorization header, and browsers say that it is from a page.
 */
function canDeclareForm({ headers }: IncomingMessage, formsAreJson: BodyRules["formsAreJson"]): boolean {
  if (formsAreJson === "none" || headers.cookie !== undefined) return false;
  const isBearer = /^bearer /i.test(headers.authorization ?? "");
  return isBearer || (formsAreJson === "programs" && !isFromPage(headers));
}

/** A web page sends none of these to another origin unasked. */
const jsonTypes = ["application/json", "text/json"];

function checkMediaType(req: IncomingMessage, acceptsForm: boolean): void {
  const [type = "", ...parameters] = (req.headers["content-type"] ?? "").toLowerCase().split(";");
  const isForm = type.trim() === "application/x-www-form-urlencoded";
  const isJson = jsonTypes.includes(type.trim());
  if (!isJson && !(isForm && acceptsForm))
    throw unsupportedMedia(
      "The request body must be JSON, with the header 'content-type: application/json'.",
    );
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw unsupportedMedia("The request body must be encoded in UTF-8.");
  if ((req.headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    throw unsupportedMedia("Compressed request bodies are not supported.");
}

interface Collecting {
  readonly bodyBytesMax: number;
  /** The declared length; 0: none is declared. */
  readonly declared: number;
}

/** Collects a body. One that declares no length reserves what the largest may have once it is not a small one. */
function collect(
  req: IncomingMessage,
  place: BodyPlace,
  { bodyBytesMax, declared }: Collecting,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A body of known length is in memory once.
    const whole = Buffer.allocUnsafe(declared);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isReserved = declared > 0;
    req.on("data", (chunk: Buffer) => {
      if (bytes + chunk.length > bodyBytesMax) {
        chunks.length = 0;
        return reject(tooLarge(bodyBytesMax));
      }
      if (declared > 0) chunk.copy(whole, bytes);
      else chunks.push(chunk);
      bytes += chunk.length;
      if (isReserved || bytes <= smallBodyBytesMax) return;
      isReserved = true;
      req.pause();
      place.reserve(bodyBytesMax).then(() => req.resume(), reject);
    });
    req.on("end", () => {
      place.shrink(bytes);
      resolve(declared > 0 ? whole.subarray(0, bytes) : Buffer.concat(chunks));
    });
    req.on("error", () => reject(malformed("The request ended before its body was complete.")));
  });
}

function malformed(message: string): HearthError {
  return new HearthError("malformed", message);
}

function unsupportedMedia(message: string): HearthError {
  return new HearthError("unsupported_media_type", message);
}

function tooLarge(bodyBytesMax: number): HearthError {
  return new HearthError(
    "body_too_large",
    `The request body is larger than the limit of ${bodyBytesMax} bytes.`,
  );
}
