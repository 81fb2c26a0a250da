"use strict";
/** The list of routes next to the page: search, keyboard navigation, and the mark of the section on screen. */

/**
 * @typedef {{ [keyword: string]: any }} Operation
 * @typedef {{ article: HTMLElement, link: HTMLAnchorElement, words: () => string }} Entry
 */

const nav = find("nav");
const search = /** @type {HTMLInputElement} */ (find("search"));
const notice = find("status");

/** @param {string} id @returns {HTMLElement} */
function find(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** All words that a search may find an operation by; put together when first asked. @param {string} route @param {Operation} operation */
function readWords(route, operation) {
  /** @type {string | null} */
  let words = null;
  return () => {
    if (words !== null) return words;
    /** @type {Set<string>} */
    const names = new Set();
    collectNames([operation.parameters, operation.requestBody, operation.responses["200"]], names, new Set());
    words = [route, operation.operationId, operation.summary, ...names].join(" ").toLowerCase();
    return words;
  };
}

/** Names of fields, through references. @param {any} value @param {Set<string>} names @param {Set<string>} seen */
function collectNames(value, names, seen) {
  if (typeof value !== "object" || value === null) return;
  if (typeof value.$ref === "string") {
    if (seen.has(value.$ref)) return;
    seen.add(value.$ref);
    collectNames(namedSchemas[readSchemaName(value.$ref)], names, seen);
  }
  if (typeof value.properties === "object") Object.keys(value.properties).forEach((name) => names.add(name));
  if (typeof value.in === "string") names.add(value.name);
  Object.values(value).forEach((each) => collectNames(each, names, seen));
}

/** Search, and the keys that move through what it finds. @param {Entry[]} entries */
function listen(entries) {
  search.addEventListener("input", () => filter(entries));
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type !== "checkbox";
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.select();
      search.focus();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      filter(entries);
      search.blur();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && isInList(event.target)) {
      event.preventDefault();
      step(entries, event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && event.target === search) entries.find(isShown)?.link.click();
  });
}

/** @param {Entry} entry */
function isShown({ article }) {
  return !article.hidden;
}

/** @param {EventTarget | null} target */
function isInList(target) {
  return target === search || (target instanceof Node && nav.contains(target));
}

/** @param {Entry[]} entries @param {number} by */
function step(entries, by) {
  const links = entries.filter(isShown).map(({ link }) => link);
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at + by];
  (next ?? (at + by < 0 ? search : links.at(-1)))?.focus();
}

/** @param {Entry[]} entries */
function filter(entries) {
  const wanted = search.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  for (const { article, link, words } of entries) {
    const shown = wanted.every((word) => words().includes(word));
    article.hidden = !shown;
    if (link.parentElement !== null) link.parentElement.hidden = !shown;
  }
  for (const group of document.querySelectorAll("main > section:not(.intro), nav > .tag"))
    if (group instanceof HTMLElement)
      group.hidden = group.querySelectorAll("article:not([hidden]), li:not([hidden])").length === 0;
  notice.textContent = entries.some(isShown) ? "" : `Nothing is called “${search.value}”.`;
}

/** Marks in the list what is being read. @param {Entry[]} entries */
function follow(entries) {
  const links = new Map(entries.map(({ article, link }) => [/** @type {Element} */ (article), link]));
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        const link = links.get(target);
        if (!isIntersecting || link === undefined) continue;
        for (const other of links.values()) other.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
        link.scrollIntoView({ block: "nearest" });
      }
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  for (const { article } of entries) observer.observe(article);
}
