/** Reads the text of a PDF file with pdf.js, in the thread that sandbox.ts restricts. */
import type { getDocument as GetDocument } from "unpdf/pdfjs";
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

// The lines of a page in reading order. Pure.

/** A piece of text as the PDF library returns it. */
interface TextPiece {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly width: number;
  readonly height: number;
  /** Matrix of the text: a, b, c, d, x, y; y grows upwards. */
  readonly transform: readonly number[];
}

interface Line {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** y of the base line. */
  readonly base: number;
  readonly height: number;
  /** Lines that are not horizontal keep their place. */
  readonly isHorizontal: boolean;
}

/** Lines of a page that are put in order; more of them, which no text has, stay in the order of the file. */
const orderedLinesMax = 2_000;
/** Points of width that two lines share when they are in one column. */
const sharedWidthMin = 1;

const controlCharacters = /(?!\t)\p{Cc}/gu;

/** Returns the text of a page, line by line. */
function joinLines(pieces: readonly TextPiece[]): string {
  return inReadingOrder(groupLines(pieces))
    .map(({ text }) => text)
    .join("\n");
}

/** Joins pieces up to the end of each line; empty lines are left out. */
function groupLines(pieces: readonly TextPiece[]): readonly Line[] {
  const lines: Line[] = [];
  let open: TextPiece[] = [];
  for (const [index, piece] of pieces.entries()) {
    open.push(piece);
    if (!piece.hasEOL && index < pieces.length - 1) continue;
    const line = joinPieces(open);
    if (line !== null) lines.push(line);
    open = [];
  }
  return lines;
}

function joinPieces(pieces: readonly TextPiece[]): Line | null {
  const text = pieces
    .map(({ str }) => str)
    .join("")
    .replace(controlCharacters, "")
    .trim();
  const [first] = pieces.filter(({ str }) => str.trim() !== "");
  if (text === "" || first === undefined) return null;
  let [left, right] = [Infinity, -Infinity];
  for (const { str, width, transform } of pieces) {
    if (str.trim() === "") continue;
    left = Math.min(left, transform[4] ?? 0);
    right = Math.max(right, (transform[4] ?? 0) + width);
  }
  const [, b = 0, c = 0, , , base = 0] = first.transform;
  return { text, left, right, base, height: first.height, isHorizontal: b === 0 && c === 0 };
}

/**
 * Returns the lines in the order of the file, but none before a line above it in the same column: a file may draw its last line first.
 * Columns, and the cells of a table, stay in the order in which the file has them.
 */
function inReadingOrder(lines: readonly Line[]): readonly Line[] {
  if (lines.length > orderedLinesMax || isInOrder(lines)) return lines;
  const waiting = [...lines];
  const ordered: Line[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((line) => !waiting.some((other) => isAbove(other, line)));
    ordered.push(...waiting.splice(Math.max(next, 0), 1));
  }
  return ordered;
}

function isInOrder(lines: readonly Line[]): boolean {
  return lines.every((line, index) => !lines.slice(index + 1).some((later) => isAbove(later, line)));
}

/** Returns whether a line is above another one, in the same column. */
function isAbove(upper: Line, lower: Line): boolean {
  return (
    upper.isHorizontal &&
    lower.isHorizontal &&
    upper.base - lower.base > Math.min(upper.height, lower.height) / 2 &&
    Math.min(upper.right, lower.right) - Math.max(upper.left, lower.left) >= sharedWidthMin
  );
}
