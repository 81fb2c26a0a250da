/** Writes PDF files object by object, including damaged and hostile ones that no program writes. */
import { deflateSync } from "node:zlib";

/** A line of text at a place of a page, in points from the lower left corner. */
export interface PdfLine {
  readonly text: string;
  readonly x?: number;
  readonly y?: number;
}

export interface PdfOptions {
  /** Whether the contents of pages are compressed. */
  readonly isCompressed?: boolean;
  /** Entries of the trailer, such as `/Encrypt`. */
  readonly trailer?: string;
  /** The font of all text; default: Helvetica in Latin-1. */
  readonly font?: string;
  /** Objects after the objects of the pages; the first has the number `firstExtraObject(pages)`. */
  readonly extra?: readonly (string | Buffer)[];
  /** Writes a text as the operand of `Tj`; default: a string in Latin-1. */
  readonly encode?: (text: string) => string;
}

/** Number of the first of the extra objects of a file with so many pages. */
export function firstExtraObject(pages: number): number {
  return 4 + 2 * pages;
}

/** Writes a file in which each line has its place; those without one stand below each other. */
export function pdfOf(pages: readonly (readonly (PdfLine | string)[])[], options: PdfOptions = {}): Buffer {
  const contents = pages.map((lines) => Buffer.from(contentOf(lines, options.encode), "latin1"));
  return pdfOfContents(contents, options);
}

/** Writes a file whose pages have these content streams. */
export function pdfOfContents(contents: readonly Buffer[], options: PdfOptions = {}): Buffer {
  const {
    isCompressed = false,
    font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
  } = options;
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const pages = contents.flatMap((content, index) => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + 2 * index} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
    isCompressed ? streamOf(deflateSync(content), "/Filter/FlateDecode") : streamOf(content),
  ]);
  const root = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
    font,
  ];
  return pdfOfObjects([...root, ...pages, ...(options.extra ?? [])], options.trailer);
}

/** Writes a file of these objects, which have the numbers from 1; the first is the catalog. */
export function pdfOfObjects(objects: readonly (string | Buffer)[], trailer = ""): Buffer {
  const chunks = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  let size = chunks[0]?.length ?? 0;
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(size);
    const body = typeof object === "string" ? Buffer.from(object, "latin1") : object;
    const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
    chunks.push(chunk);
    size += chunk.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  chunks.push(
    Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${rows}`),
    Buffer.from(`trailer\n<</Size ${count}/Root 1 0 R${trailer}>>\nstartxref\n${size}\n%%EOF\n`, "latin1"),
  );
  return Buffer.concat(chunks);
}

/** A stream object. @param entries further ones of its dictionary. */
export function streamOf(data: Buffer, entries = ""): Buffer {
  return Buffer.concat([
    Buffer.from(`<</Length ${data.length}${entries}>>\nstream\n`, "latin1"),
    data,
    Buffer.from("\nendstream"),
  ]);
}

function contentOf(lines: readonly (PdfLine | string)[], encode = latin1): string {
  return lines
    .map((line, index) => {
      const { text, x = 72, y = 720 - 20 * index } = typeof line === "string" ? { text: line } : line;
      return `BT /F1 12 Tf ${x} ${y} Td ${encode(text)} Tj ET`;
    })
    .join("\n");
}

function latin1(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}
