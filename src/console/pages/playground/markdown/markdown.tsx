import DOMPurify, { type Config } from "dompurify";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Marked, Parser, type MarkedOptions, type Token } from "marked";
import { elapsed } from "../../../lib/clock.js";
import { createBlockReader, type Block } from "./blocks.js";
import { copyText } from "../../../parts/text.js";
import { showError } from "../../../parts/toast.js";

/** A text that grows is rendered during at most this part of the time. */
const shareMax = 0.2;
/** So many characters are added at once at most, so that a long text leaves the page responsive. */
const charsPerStep = 2000;

interface MarkdownProps {
  /** It may become longer, but never another text. */
  readonly text: string;
  /** Whether more text is coming. */
  readonly isGrowing: boolean;
}

/** A text in Markdown. While it grows, only the blocks that change are rendered again. */
export function Markdown({ text, isGrowing }: MarkdownProps): JSX.Element {
  const reader = useMemo(() => createBlockReader(markdownOptions), []);
  const blocks = reader.read(text.slice(0, useShownEnd(text.length, isGrowing)));
  return (
    <div class="markdown">
      {blocks.map((block) => (
        <BlockView key={block.start} block={block} />
      ))}
    </div>
  );
}

/** Returns how many characters to show now. They become `length`, step by step. */
function useShownEnd(length: number, isGrowing: boolean): number {
  const [reached, setReached] = useState(() => Math.min(length, charsPerStep));
  const startedAt = elapsed();
  const last = useRef({ at: -Infinity, ms: 0 });
  const next = Math.min(length, reached + charsPerStep);
  // The end of a complete text is shown without delay.
  const end = isGrowing ? reached : next;
  useLayoutEffect(() => {
    const at = elapsed();
    last.current = { at, ms: at - startedAt };
  }, [end]);
  useEffect(() => {
    if (end === length) return undefined;
    const { at, ms } = last.current;
    const pauseMs = isGrowing ? at + ms / shareMax - elapsed() : 0;
    const timer = setTimeout(() => setReached(next), Math.max(0, pauseMs));
    return () => clearTimeout(timer);
  }, [end, next, length, isGrowing]);
  return end;
}

function BlockView({ block }: { readonly block: Block }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(renderBlock(block.token)), [block]);
  return <div ref={element} />;
}

// Renders the Markdown of answers into elements. A model may write anything, also what somebody else has put into its prompt: markup is
// shown as the text that it is, links lead to the web and to mail only, and no image is loaded.

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escaped(text)),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === "" ? href : text)}</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/** The options with which the text must be split into tokens. */
const markdownOptions: MarkedOptions = marked.defaults;

const purifier = DOMPurify(window);
// prettier-ignore
const tags = [
  "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
  "table", "tbody", "td", "th", "thead", "tr", "ul",
];
const allowed = {
  ALLOWED_TAGS: tags,
  ALLOWED_ATTR: ["href", "start", "align"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config;

/** Returns the elements of a block. */
function renderBlock(token: Token): DocumentFragment {
  const fragment = purifier.sanitize(Parser.parse([token], markdownOptions), allowed);
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noreferrer";
  }
  for (const table of fragment.querySelectorAll("table")) wrap(table, "wide");
  for (const pre of fragment.querySelectorAll("pre")) {
    pre.tabIndex = 0;
    wrap(pre, "code").append(copyButton(pre));
  }
  return fragment;
}

/** Puts an element that may be wider than the page into a box of its own. */
function wrap(element: HTMLElement, name: string): HTMLElement {
  const box = document.createElement("div");
  box.className = name;
  if (name === "wide") box.tabIndex = 0;
  element.replaceWith(box);
  box.append(element);
  return box;
}

function copyButton(pre: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy code");
  button.addEventListener("click", () => {
    void copyText(pre.textContent ?? "").then(() => (button.textContent = "Copied"), showError);
  });
  button.addEventListener("blur", () => (button.textContent = "Copy"));
  return button;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
