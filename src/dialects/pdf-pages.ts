/** The text of a PDF file, page by page. Pure. */

/** Between pages; the text of a page has no control characters but line feeds and tabs. */
const formFeed = "\f";

/** Joins pages to one text, from which `decodePages` gets them back. */
export function encodePages(pages: readonly string[]): string {
  return pages.join(formFeed);
}

export function decodePages(text: string): readonly string[] {
  return text.split(formFeed);
}

/** Returns the text that stands for the pages in a prompt: each after a line with its number. */
export function pagesText(pages: readonly string[]): string {
  return pages.map((text, index) => `${pageLabel(index + 1)}\n${text === "" ? noText : text}`).join("\n\n");
}

/** @param number of the page, from 1. */
export function pageLabel(number: number): string {
  return `[Page ${number}]`;
}

/** Stands for a page that has an image or nothing. */
export const noText = "(This page has no text.)";
