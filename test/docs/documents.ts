/** The documents that people read in the repository and under /docs/guides, taken to pieces for the tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked, Renderer, type Tokens } from "marked";
import { renderMarkdown } from "../../src/http/about/docs/guides/markdown.js";
import { root } from "../kit/folder.js";

export interface Document {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  /** First word after the fence; empty when the fence has no word. */
  readonly language: string;
  readonly code: string;
}

/** README.md and the guides: what a user reads. */
export function userDocuments(): readonly Document[] {
  const folder = join(root, "src/docs");
  const guides = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".md")) : [];
  return documentsAt(["README.md", ...guides.sort().map((file) => `src/docs/${file}`)]);
}

/** Those, and what else lies at the root for people to read, as far as it is there. */
export function allDocuments(): readonly Document[] {
  return [...userDocuments(), ...documentsAt(["CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"])];
}

/** The code blocks of a text in their order. */
export function blocksOf(markdown: string): readonly CodeBlock[] {
  return piecesOf(markdown).blocks;
}

/** The commands of the program in a text: in code between backticks, and in the lines of shell blocks. */
export function writtenCommandsOf(markdown: string): readonly string[] {
  const { blocks, spans } = piecesOf(markdown);
  const lines = blocks
    .filter(({ language }) => ["sh", "bash", "console", ""].includes(language))
    .flatMap(({ code }) => code.split("\n").map((line) => line.replace(/^\$ /, "")));
  const written = [...spans, ...lines].map((text) => text.replace(/^(?:npx |[A-Z_]+=\S* )+(?=hearth )/, ""));
  return written.filter((text) => /^hearth [a-z-]/.test(text));
}

/** The addresses of all links and pictures of a text. */
export function addressesOf(markdown: string): readonly string[] {
  return piecesOf(markdown).addresses;
}

/** The anchors of a text's headings. */
export function anchorsOf(markdown: string): readonly string[] {
  const { sections } = renderMarkdown(markdown, { link: (href) => href, picture: (href) => href });
  return sections.map(({ id }) => id);
}

function documentsAt(paths: readonly string[]): readonly Document[] {
  return paths
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function piecesOf(markdown: string): PieceCollector {
  const collector = new PieceCollector();
  const marked = new Marked({ gfm: true });
  marked.parser(marked.lexer(markdown), { renderer: collector });
  return collector;
}

class PieceCollector extends Renderer {
  readonly blocks: CodeBlock[] = [];
  readonly addresses: string[] = [];
  readonly spans: string[] = [];

  override codespan({ text }: Tokens.Codespan): string {
    this.spans.push(text);
    return "";
  }

  override code({ text, lang = "" }: Tokens.Code): string {
    this.blocks.push({ language: lang.split(" ")[0] ?? "", code: text });
    return "";
  }

  override link({ href, tokens }: Tokens.Link): string {
    this.addresses.push(href);
    return this.parser.parseInline(tokens);
  }

  override image({ href }: Tokens.Image): string {
    this.addresses.push(href);
    return "";
  }
}
