/**
 * Citations of documents. The prompt numbers the parts of a document, the model writes the numbers behind what it takes from them, and the
 * reader of the answer turns each number into a citation with the document's own text. A number that leads nowhere is left out, so
 * that nothing is cited that is not in a document. Pure.
 */
import { wellFormed } from "../../well-formed.js";
import type { Citation } from "../response-schema.js";

/** The content of a document; a PDF file has pages, a custom document has blocks. */
export interface DocumentContent {
  readonly type: "text" | "pages" | "blocks";
  /** One of a text. */
  readonly texts: readonly string[];
}

/** A sentence of a text or a page, or a block. */
interface DocumentPart {
  /** Index of the text that has it. */
  readonly text: number;
  /** UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Characters (code points) of the text before it. */
  readonly charsBefore: number;
}

/** A document that an answer may cite. */
export interface CitedDocument extends DocumentContent {
  readonly title: string | null;
  readonly parts: readonly DocumentPart[];
}

/** By index among all documents of the request. */
export type CitedDocuments = ReadonlyMap<number, CitedDocument>;

/** The end of a sentence or a line. Intl.Segmenter takes minutes for a million characters. */
const sentenceEnd = /[.!?]{1,8}["')\]]{0,8}\s{1,8}|[。！？]|\n/g;

/** Splits the content into the parts that may be cited. */
export function splitDocument(content: DocumentContent, title: string | null): CitedDocument {
  const texts = content.texts.map(wellFormed);
  const parts = texts.flatMap((text, index) =>
    content.type === "blocks"
      ? [{ text: index, start: 0, end: text.length, charsBefore: 0 }]
      : splitSentences(text, index),
  );
  return { ...content, texts, title, parts };
}

function splitSentences(text: string, index: number): readonly DocumentPart[] {
  const parts: DocumentPart[] = [];
  let chars = 0;
  for (const [at, segment] of splitSegments(text)) {
    const trimmed = segment.trim();
    const start = at + segment.indexOf(trimmed);
    const charsBefore = chars + (start - at);
    if (trimmed !== "") parts.push({ text: index, start, end: start + trimmed.length, charsBefore });
    chars += countChars(segment);
  }
  return parts;
}

/** Yields the sentences of a text, with their positions; together they are the text. */
function* splitSegments(text: string): Generator<readonly [number, string], void, undefined> {
  let at = 0;
  for (const { 0: found, index } of text.matchAll(sentenceEnd)) {
    const end = index + found.length;
    yield [at, text.slice(at, end)];
    at = end;
  }
  if (at < text.length) yield [at, text.slice(at)];
}

/** Returns the number of code points of a text without unpaired surrogates. */
function countChars(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF]/g)?.length ?? 0);
}

export function formatCitationMark(document: number, part: number): string {
  return `[[${document}:${part}]]`;
}

/** What the system prompt says of the marks. */
export const instruction =
  "Parts of the documents have numbers such as [[0:3]]: document 0, part 3. Write the number directly behind each statement that you " +
  "take from a document, for example [[0:3]], or [[0:3-5]] for parts that follow each other. Write no numbers behind other statements, " +
  "and do not explain the numbers.";

/**
 * A citation has at most so much of a document. A mark is a few tokens: without a bound, an answer of such marks would have the whole
 * document once for each.
 */
const citedMax = { parts: 100, characters: 20_000 } as const;

const range = /(\d{1,6}):(\d{1,6})(?:-(\d{1,6}))?/g;

/** Returns the citations of a mark; of one that leads nowhere, or to more than a citation may have, none. */
export function readCitations(mark: string, documents: CitedDocuments): readonly Citation[] {
  return [...mark.matchAll(range)].flatMap(([, index = "", first = "", last = first]) => {
    const document = documents.get(Number(index));
    const citation =
      document === undefined ? null : toCitation(document, Number(index), Number(first), Number(last));
    return citation === null ? [] : [citation];
  });
}

function toCitation(
  { type, texts, title, parts }: CitedDocument,
  index: number,
  first: number,
  last: number,
): Citation | null {
  const [from, to] = [parts[first], parts[last]];
  if (from === undefined || to === undefined || last < first || last - first >= citedMax.parts) return null;
  const cited = textBetween(texts, from, to);
  if (cited.length > citedMax.characters) return null;
  const common = {
    cited_text: cited,
    document_index: index,
    document_title: title,
    file_id: null,
  };
  if (type === "pages")
    return {
      type: "page_location",
      ...common,
      start_page_number: from.text + 1,
      end_page_number: to.text + 2,
    };
  if (type === "blocks")
    return {
      type: "content_block_location",
      ...common,
      start_block_index: from.text,
      end_block_index: to.text + 1,
    };
  return {
    type: "char_location",
    ...common,
    start_char_index: from.charsBefore,
    end_char_index: to.charsBefore + countChars((texts[to.text] ?? "").slice(to.start, to.end)),
  };
}

function textBetween(texts: readonly string[], from: DocumentPart, to: DocumentPart): string {
  if (from.text === to.text) return (texts[from.text] ?? "").slice(from.start, to.end);
  return [
    (texts[from.text] ?? "").slice(from.start),
    ...texts.slice(from.text + 1, to.text),
    (texts[to.text] ?? "").slice(0, to.end),
  ].join("\n");
}
