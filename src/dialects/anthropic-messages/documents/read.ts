/** Reads the documents of a request: their text for the prompt, and what an answer may cite of them. Pure. */
import { invalidValue, unsupported } from "../../field-error.js";
import { decodePages, noText, pageLabel, pagesText } from "../../pdf-pages.js";
import { decodeText } from "../../text-file.js";
import { wellFormed } from "../../well-formed.js";
import type { BlockBody } from "../schema.js";
import { formatCitationMark, splitDocument, type CitedDocument, type DocumentContent } from "./cited.js";

type DocumentBody = Extract<BlockBody, { type: "document" }>;

/** UTF-16 units of all documents of a request with citations. */
const citedCharsMax = 1_000_000;

/** The documents of one request in their order. */
export class RequestDocuments {
  #count = 0;
  #citedChars = 0;
  readonly #cited = new Map<number, CitedDocument>();

  /** The documents with citations, by their index among all documents of the request. */
  get cited(): ReadonlyMap<number, CitedDocument> {
    return this.#cited;
  }

  /** Returns what stands for the next document in the prompt. @throws HearthError `invalid_value` for one that is not text. */
  read({ source, title, context, citations }: DocumentBody, param: string): string {
    const index = this.#count++;
    const content = toContent(source, `${param}.source`);
    const head = [title ?? "", context ?? ""];
    if (citations?.enabled !== true)
      return wellFormed([...head, plainText(content)].filter((part) => part !== "").join("\n"));
    this.#citedChars += content.texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#citedChars > citedCharsMax)
      throw invalidValue(
        `${param}.citations`,
        `documents with citations may have at most ${citedCharsMax} characters together`,
      );
    const document = splitDocument(content, title ?? null);
    this.#cited.set(index, document);
    return [...head.map(wellFormed), numberedText(index, document)].filter((part) => part !== "").join("\n");
  }
}

function toContent(source: DocumentBody["source"], param: string): DocumentContent {
  if (source.type === "text") return { type: "text", texts: [source.data] };
  if (source.type === "base64" && source.data != null) {
    const text = decodeText(source.data, `${param}.data`);
    if (source.media_type === "text/plain") return { type: "text", texts: [text] };
    if (source.media_type === "application/pdf") return { type: "pages", texts: decodePages(text) };
  }
  if (source.type === "content" && source.content != null) {
    const { content } = source;
    const texts =
      typeof content === "string"
        ? [content]
        : content.map((block, index) => textOnly(block, `${param}.content.${index}`));
    return { type: "blocks", texts };
  }
  throw unsupported(param, `documents of the source type '${source.type}' are`);
}

function textOnly(block: { readonly type: string; readonly text?: string }, param: string): string {
  if (block.text === undefined) throw unsupported(param, "images in documents are");
  return block.text;
}

function plainText({ type, texts }: DocumentContent): string {
  return type === "pages" ? pagesText(texts) : texts.join("\n\n");
}

/** Writes each part after its mark. */
function numberedText(index: number, { type, texts, parts }: CitedDocument): string {
  const line = (part: CitedDocument["parts"][number], at: number): string =>
    `${formatCitationMark(index, at)} ${(texts[part.text] ?? "").slice(part.start, part.end)}`;
  if (type !== "pages") return parts.map(line).join("\n");
  const pages: string[][] = texts.map(() => []);
  for (const [at, part] of parts.entries()) pages[part.text]?.push(line(part, at));
  return pages
    .flatMap((lines, page) => [pageLabel(page + 1), ...(lines.length === 0 ? [noText] : lines)])
    .join("\n");
}
