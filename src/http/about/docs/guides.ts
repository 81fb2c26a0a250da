/** GET /docs/guides: the list of guides. GET /docs/guides/{name}: one of them. Both are pages like the API reference. */
import { notModified, presentCached, presentCachedByName } from "../../server/reply/cached-answer.js";
import type { AppContext } from "../../server/app-context.js";
import { publicRoute } from "../../server/route.js";
import { assemblePage } from "./assemble.js";
import { guidesFolder, type GuidesFolder } from "./guides/folder.js";
import { renderMarkdown, type RenderedMarkdown, type Addresses } from "./guides/markdown.js";

type Guides = ReadonlyMap<string, RenderedMarkdown>;

const rendered = new WeakMap<AppContext, Guides>();

/** Returns the guides of a server. All are rendered at the first request for any of them. */
function guidesFor(app: AppContext): Guides {
  const guides = rendered.get(app) ?? renderGuides(guidesFolder(app));
  rendered.set(app, guides);
  return guides;
}

export const listGuides = publicRoute({
  method: "GET",
  path: "/docs/guides",
  docs: {
    operation: "listGuides",
    tag: "Server",
    summary: "List the guides",
    answers: {
      200: { description: "A page with a link to each guide.", contentType: "text/html" },
      304: notModified,
    },
  },
  handle: presentCached((_call, app) => assembleGuidePage(guidesFor(app), null)),
});

export const getGuide = publicRoute({
  method: "GET",
  path: "/docs/guides/:name",
  docs: {
    operation: "getGuide",
    tag: "Server",
    summary: "Show a guide",
    params: { name: "As the list of guides links to it." },
    answers: { 200: { description: "The guide as a page.", contentType: "text/html" }, 304: notModified },
  },
  handle: presentCachedByName((name, app) => {
    const guides = guidesFor(app);
    return guides.has(name) ? assembleGuidePage(guides, name) : null;
  }),
});

function renderGuides(folder: GuidesFolder): Guides {
  const sources = folder.guides();
  const addresses = guideAddresses(sources.keys(), folder.pictures().keys());
  return new Map([...sources].map(([name, text]) => [name, renderMarkdown(text, addresses)]));
}

/** A guide's page; `name` null: the page of the list. */
function assembleGuidePage(guides: Guides, name: string | null) {
  const guide = name === null ? undefined : guides.get(name);
  return assemblePage({
    template: "guide.html",
    current: "/docs/guides",
    styles: ["page.css", "guide.css"],
    scripts: [],
    contents: {
      title: name === null || guide === undefined ? "Guides" : readTitle(name, guide),
      guides: navigation(guides, name),
      content: guide === undefined ? writeList(guides) : guide.html,
    },
  });
}

function readTitle(name: string, { sections }: RenderedMarkdown): string {
  return sections.find(({ depth }) => depth === 1)?.text ?? name;
}

function writeList(guides: Guides): string {
  const items = [...guides].map(
    ([name, guide]) =>
      `<li><a href="/docs/guides/${name}">${readTitle(name, guide)}</a><p>${guide.summary}</p></li>`,
  );
  const reference =
    '<li><a href="/docs">API reference</a><p>Every route of this server with its fields and errors.</p></li>';
  return `<h1>Guides</h1>\n<ul class="guides">\n${[...items, reference].join("\n")}\n</ul>`;
}

/** All guides; beneath the one that is shown, its sections. */
function navigation(guides: Guides, shown: string | null): string {
  const items = [...guides].map(([name, guide]) => {
    const link = `<a href="/docs/guides/${name}"${name === shown ? ' aria-current="page"' : ""}>`;
    return `<li>${link}${readTitle(name, guide)}</a>${name === shown ? writeSections(guide) : ""}</li>`;
  });
  return `<ul>\n${items.join("\n")}\n</ul>`;
}

function writeSections({ sections }: RenderedMarkdown): string {
  const items = sections
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`);
  return items.length === 0 ? "" : `<ul>${items.join("")}</ul>`;
}

/** The address that the guides use for this server; it is not the address of another one. */
const exampleOrigin = /^https?:\/\/(?:127\.0\.0\.1|localhost):4280(?=\/|$)/;

/**
 * The addresses of guides between the guides and pictures named. Links to files that this server does not show, such as
 * `../../README.md`, have none.
 */
function guideAddresses(guides: Iterable<string>, pictures: Iterable<string>): Addresses {
  const pages = new Map([...guides].map((name) => [`${name}.md`, `/docs/guides/${name}`]));
  pages.set("README.md", "/docs/guides");
  const images = new Map([...pictures].map((file) => [`pictures/${file}`, `/docs/guides/pictures/${file}`]));
  return {
    link(href) {
      if (exampleOrigin.test(href)) return href.replace(exampleOrigin, "") || "/docs";
      if (/^(?:https?:\/\/|mailto:|#|\/\w)/.test(href)) return href;
      const [file = "", anchor] = href.replace(/^\.\//, "").split("#");
      const page = pages.get(file) ?? images.get(file);
      if (page === undefined) return null;
      return anchor === undefined ? page : `${page}#${anchor}`;
    },
    picture: (href) => images.get(href.replace(/^\.\//, "")) ?? null,
  };
}
