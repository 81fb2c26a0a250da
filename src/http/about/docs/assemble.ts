/** Puts the pages under /docs together from the HTML, CSS and JavaScript files of this folder. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { CachedAnswer } from "../../server/reply/cached-answer.js";

interface PageParts {
  /** File of the page itself; `<!-- name -->` in it stands for the part of that name. */
  readonly template: string;
  /** URL of the page's own entry in the navigation. */
  readonly current: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** Further HTML by the name under which the template asks for it. */
  readonly contents?: Readonly<Record<string, string>>;
}

/** A page that loads no style and no script: its own are in it, and its policy allows each by hash and no other. */
export function assemblePage(parts: PageParts): CachedAnswer {
  const style = parts.styles.map(read).join("\n");
  const scripts = parts.scripts.map(read);
  const header = read("header.html").replace(
    `href="${parts.current}"`,
    (link) => `${link} aria-current="page"`,
  );
  const contents: Readonly<Record<string, string>> = {
    head: read("head.html").trimEnd(),
    header: header.trimEnd(),
    style: `<style>${style}</style>`,
    scripts: scripts.map((script) => `<script>${script}</script>`).join("\n"),
    ...parts.contents,
  };
  const text = read(parts.template).replace(/<!-- (\w+) -->/g, (_, name: string) => contents[name] ?? "");
  const headers = {
    "content-security-policy": writePolicy(style, scripts),
    "referrer-policy": "no-referrer",
  };
  return { contentType: "text/html; charset=utf-8", text, headers };
}

function writePolicy(style: string, scripts: readonly string[]): string {
  // Only a script asks the server for more, and only pages without one show pictures of the server.
  const own =
    scripts.length === 0
      ? ["img-src 'self' data:"]
      : ["img-src data:", `script-src ${scripts.map(computeHash).join(" ")}`, "connect-src 'self'"];
  return [
    "default-src 'none'",
    ...own,
    `style-src ${computeHash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

function computeHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
