/** Renders Markdown to HTML. Markup in the text is shown, not obeyed: the only elements are those that Markdown has. Pure. */
import { Marked, Renderer, type Tokens } from "marked";

/** Maps an address of the text to the URL that the page links to; null where the page has nothing to link to. */
export interface Addresses {
  link(href: string): string | null;
  picture(href: string): string | null;
}

interface GuideSection {
  /** Level of the heading, 1 to 6. */
  readonly depth: number;
  /** Anchor of the heading, the same that the forge gives it. */
  readonly id: string;
  /** Text of the heading without markup, escaped for HTML. */
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  /** Every heading in its order. */
  readonly sections: readonly GuideSection[];
  /** Text of the first paragraph without markup, escaped for HTML; empty for a text without a paragraph. */
  readonly summary: string;
}

/** Renders a text; a link or picture without a URL is reduced to its text. */
export function renderMarkdown(markdown: string, addresses: Addresses): RenderedMarkdown {
  const sections: GuideSection[] = [];
  const marked = new Marked({ gfm: true });
  const renderer = new GuideRenderer(addresses, sections);
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens, { renderer });
  const first = tokens.find((token) => token.type === "paragraph");
  const summary = first === undefined ? "" : withoutTags(marked.parser([first], { renderer })).trim();
  return { html, sections, summary };
}

/** Code and tables can be wider than the page: `tabindex` lets keys scroll them. */
class GuideRenderer extends Renderer {
  readonly #addresses: Addresses;
  readonly #sections: GuideSection[];
  readonly #createSlug = createSlugs();

  constructor(addresses: Addresses, sections: GuideSection[]) {
    super();
    this.#addresses = addresses;
    this.#sections = sections;
  }

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    const shown = escapeHtml(text.replace(/<!--[^]*?-->/g, "")).trimEnd();
    return block === true && shown !== "" ? `<p>${shown}</p>\n` : shown;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const id = this.#createSlug(this.parser.parseInline(tokens, this.parser.textRenderer));
    const inner = this.parser.parseInline(tokens);
    this.#sections.push({ depth, id, text: withoutTags(inner) });
    // A link cannot be in a link.
    const content = inner.includes("<a ") ? inner : `<a class="anchor" href="#${id}">${inner}</a>`;
    return `<h${depth} id="${id}">${content}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const inner = this.parser.parseInline(tokens);
    const url = this.#addresses.link(href);
    return url === null ? inner : `<a href="${escapeHtml(url)}">${inner}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const url = this.#addresses.picture(href);
    const alt = escapeHtml(text);
    return url === null ? alt : `<img src="${escapeHtml(url)}" alt="${alt}" />`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0">${super.table(token)}</div>\n`;
  }

  override code({ text }: Tokens.Code): string {
    return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
  }
}

/** The text of HTML that this file made; what is escaped stays so. */
function withoutTags(html: string): string {
  return html.replace(/<[^>]*>/g, "");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Gives the headings of one document their anchors, by the rule that forges follow, so that a link works on both. */
function createSlugs(): (heading: string) => string {
  const given = new Set<string>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/&#?\w+;/g, "")
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; given.has(unique); count++) unique = `${slug}-${count}`;
    given.add(unique);
    return unique;
  };
}
