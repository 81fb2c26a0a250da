/**
 * Follows the links and pictures of a server's HTML pages, from one page on, to every page of that server.
 * @returns `page: link` for each that leads to no answer, or to no such anchor.
 */
export async function brokenLinks(url: string, start: string): Promise<string[]> {
  const texts = new Map<string, string>();
  const broken: string[] = [];
  const read = async (path: string): Promise<string> => {
    const response = await fetch(url + path);
    const text = await response.text();
    texts.set(path, response.ok ? text : "");
    return response.ok ? text : "";
  };
  const waiting = [start];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    for (const href of linksOf(texts.get(path) ?? (await read(path)))) {
      const [target = "", anchor] = (href.startsWith("#") ? path + href : href).split("#");
      if (!texts.has(target)) waiting.push(target);
      const text = texts.get(target) ?? (await read(target));
      if (text === "" || !(await hasAnchor(target, text, anchor))) broken.push(`${path}: ${href}`);
    }
  }
  return broken;

  /** The articles of the API reference get their anchors in the browser: the operations of the OpenAPI document. */
  async function hasAnchor(target: string, text: string, anchor: string | undefined): Promise<boolean> {
    if (anchor === undefined || anchor === "main") return true;
    if (target !== "/docs") return text.includes(` id="${anchor}"`);
    const api = texts.get("/openapi.json") ?? (await read("/openapi.json"));
    return api.includes(`"operationId":"${anchor}"`);
  }
}

function linksOf(page: string): string[] {
  return [...page.matchAll(/ (?:href|src)="((?:\/|#)[^"]*)"/g)].map(([, href = ""]) => href);
}
