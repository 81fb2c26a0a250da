/**
 * One HTTP GET of an image or a file. The request has the headers below and the headers of a trace; it has no credentials and no cookies of
 * the client. A redirect is returned, not followed, and a compressed body is refused.
 */
import { request, type Dispatcher } from "undici";
import { refusedImage } from "../core/requests/refused-image.js";
import { refuseTooLarge } from "./data-url.js";

export type FetchedKind = "images" | "files";

/** What is asked for, by what is fetched. */
const acceptHeaders: Readonly<Record<FetchedKind, string>> = {
  images: "image/*",
  files: "application/pdf, text/*, */*;q=0.5",
};

interface DownloadRequest {
  readonly url: URL;
  readonly fetches: FetchedKind;
  readonly param: string;
  readonly bytesMax: number;
  /** Headers that the request has in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the download at any time. */
  readonly signal: AbortSignal;
}

type DownloadResult =
  { readonly type: "bytes"; readonly bytes: Uint8Array } | { readonly type: "moved"; readonly to: string };

const redirects = [301, 302, 303, 307, 308];

/** Downloads a file. @throws HearthError `invalid_value` naming `param`; any error of the connection. */
export async function downloadUrl(
  dispatcher: Dispatcher,
  { url, fetches, param, bytesMax, headers: more, signal }: DownloadRequest,
): Promise<DownloadResult> {
  const { statusCode, headers, body } = await request(url, {
    dispatcher,
    headers: { ...more, accept: acceptHeaders[fetches], "accept-encoding": "identity" },
    signal,
  });
  // Its errors are thrown where it is read; destroying it may emit another.
  body.on("error", () => undefined);
  try {
    if (redirects.includes(statusCode)) return { type: "moved", to: String(headers["location"] ?? "") };
    if (statusCode !== 200) throw refusedImage(param, `was answered with the status ${statusCode}`);
    if (!/^(identity)?$/i.test(String(headers["content-encoding"] ?? "")))
      throw refusedImage(param, "was sent compressed, though that was not asked for");
    if (Number(headers["content-length"] ?? 0) > bytesMax) throw refuseTooLarge(param, bytesMax);
    return { type: "bytes", bytes: await readBody(body, param, bytesMax) };
  } finally {
    body.destroy();
  }
}

async function readBody(body: AsyncIterable<Buffer>, param: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw refuseTooLarge(param, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
