/** Reads the text of a PDF file with pdf.js, in the thread that sandbox.ts restricts. */
import type { getDocument as GetDocument } from "unpdf/pdfjs";
import { joinLines, type TextPiece } from "./lines.js";
import type { PdfOutcome } from "./protocol.js";

/** Pages of one file. */
const pagesMax = 1_000;
/** UTF-16 units of the text of one file. */
const charsMax = 4_000_000;

const tooLong: PdfOutcome = {
  type: "refused",
  problem: `has more text than the ${charsMax} characters that are read of a file`,
};

type PdfDocument = Awaited<ReturnType<typeof GetDocument>["promise"]>;

/** Opens a file and reads its pages. Nothing is fetched: fonts and character maps that are not in the file are not read. */
export async function extractText(getDocument: typeof GetDocument, data: Uint8Array): Promise<PdfOutcome> {
  const task = getDocument({
    data,
    isEvalSupported: false,
    useWorkerFetch: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    verbosity: 0,
  });
  try {
    return await readPages(await task.promise);
  } catch (thrown) {
    return { type: "refused", problem: describeProblem(thrown) };
  } finally {
    await task.destroy().catch(() => undefined);
  }
}

async function readPages(document: PdfDocument): Promise<PdfOutcome> {
  const { numPages } = document;
  if (numPages > pagesMax)
    return {
      type: "refused",
      problem: `has ${numPages} pages, more than the ${pagesMax} that are read of a file`,
    };
  const pages: string[] = [];
  let chars = 0;
  for (let number = 1; number <= numPages; number += 1) {
    const page = await document.getPage(number);
    const text = await readPage(page);
    page.cleanup();
    if (text === null || (chars += text.length) > charsMax) return tooLong;
    pages.push(text);
  }
  if (pages.some((text) => text !== "")) return { type: "text", pages };
  return {
    type: "refused",
    problem: "has no text: its pages are images or drawings, which are not read. Send them as images",
  };
}

type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

/** @returns null when the page has more text than a file may have. */
async function readPage(page: PdfPage): Promise<string | null> {
  const reader = page.streamTextContent().getReader();
  const pieces: TextPiece[] = [];
  let chars = 0;
  for (;;) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: { items: readonly object[] } };
    if (done) return joinLines(pieces);
    for (const item of value?.items ?? []) {
      if (!("str" in item)) continue;
      const piece = item as TextPiece;
      chars += piece.str.length + 1;
      if (chars > charsMax) {
        // The library asks for a reason.
        await reader.cancel(new Error("too long")).catch(() => undefined);
        return null;
      }
      pieces.push(piece);
    }
  }
}

function describeProblem(thrown: unknown): string {
  const name = thrown instanceof Error ? thrown.name : "";
  return name === "PasswordException"
    ? "is encrypted; send it without a password"
    : "is damaged, or not a PDF file";
}
