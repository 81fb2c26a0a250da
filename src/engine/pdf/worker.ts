/** The thread that reads PDF files. It is not trusted with anything: see sandbox.ts. */
import { hostWorker } from "../worker/host.js";
import { extractText } from "./extract.js";
import type { PdfOutcome, PdfRequest } from "./protocol.js";
import { enterSandbox } from "./sandbox.js";

const sandbox = enterSandbox();
// Loaded inside the sandbox.
const { getDocument } = await import("unpdf/pdfjs");

hostWorker<PdfRequest>({ answer, exitsOnError: true });

async function answer({ bytes }: PdfRequest): Promise<PdfOutcome> {
  const outcome = await extractText(getDocument, bytes);
  if (!sandbox.takeExceeded()) return outcome;
  return { type: "refused", problem: "needs too much memory to be read: a part of it is too large" };
}
