/** What both servers of the hub know of it. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Behaviour {
  /** Token that the hub demands; null: none. */
  token: string | null;
  /** The account of the token has not accepted the licence. */
  isGated: boolean;
  /** Whether the server of the bytes knows ranges. */
  hasRanges: boolean;
  /** Whether it sends a range though the condition of the request is not met. */
  ignoresConditions: boolean;
  /** Ends each connection after so many bytes of a body; 0: never. */
  cutAfterBytes: number;
  /** Sends no more after so many bytes of a body, for so many answers. */
  stall: { afterBytes: number; answers: number };
  /** Bytes of all bodies together in a second; 0: as fast as possible. */
  bytesPerSecond: number;
  /** Changes one byte of each body. */
  isDamaged: boolean;
  /** Added to the size that the hub lists. */
  listedBytesMore: number;
  /** Bytes that follow the file, in an answer without a length. */
  bytesTooMany: number;
  /** The commit of the main branch. */
  commit: string;
  /** Answers of the server of the bytes, each once, before it serves. */
  failures: { status: number; headers?: Record<string, string> }[];
  /** The same of the hub's API. */
  apiFailures: { status: number; headers?: Record<string, string> }[];
  /** Where the hub redirects to instead of the server of the bytes; null: there. */
  redirectTo: string | null;
  /** URL where the hub's list of files continues; null: it is complete. */
  listContinuesAt: string | null;
  /** ETag of the bytes; null: none is sent. */
  etag: string | null;
  /** Runs before an answer of the server of the bytes. */
  beforeBytes: (request: IncomingMessage) => void;
}

export interface SeenRequest {
  readonly server: "hub" | "cdn";
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
}

export interface TestHub {
  readonly url: string;
  /** Origin of the bytes; `/plain/NAME` serves a file without the hub. */
  readonly cdnUrl: string;
  readonly files: Map<string, Buffer>;
  readonly behaviour: Behaviour;
  readonly requests: SeenRequest[];
  /** Bytes of bodies that the server of the bytes has sent. */
  readonly sent: { bytes: number };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
