/** Where the links of a guide lead: in the repository they name files, on this server URLs. Pure. */
import type { Addresses } from "./markdown.js";

/** The address that the guides use for this server; it is not the address of another one. */
const exampleOrigin = /^https?:\/\/(?:127\.0\.0\.1|localhost):4280(?=\/|$)/;

/**
 * The addresses of guides between the guides and pictures named. Links to files that this server does not show, such as
 * `../../README.md`, have none.
 */
export function guideAddresses(guides: Iterable<string>, pictures: Iterable<string>): Addresses {
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
