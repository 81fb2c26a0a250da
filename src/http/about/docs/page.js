"use strict";
/** The page: every operation of /openapi.json by its tag, a list of them to go by, and a search over both. */

/** What addresses of the server have before `/docs`, such as `/hearth`; empty where there is nothing. */
const basePath = location.pathname.replace(/\/docs\/?$/, "");
const main = find("main");

void show();

async function show() {
  try {
    const response = await fetch(`${basePath}/openapi.json`);
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const api = await response.json();
    Object.assign(namedSchemas, api.components.schemas);
    const entries = fill(api);
    notice.textContent = "";
    listen(entries);
    follow(entries);
    // What the address names is there only now.
    if (location.hash !== "")
      document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" });
  } catch (error) {
    notice.textContent = `The document cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}

/** Puts everything on the page. @param {{ [keyword: string]: any }} api @returns {Entry[]} */
function fill(api) {
  find("version").textContent = api.info.version;
  const intro = element(
    "section.intro",
    element("h1", "API reference"),
    ...api.info.description.split("\n\n").map((/** @type {string} */ text) => element("p", prose(text))),
  );
  const source = /** @type {HTMLAnchorElement} */ (element("a", "OpenAPI document"));
  source.href = `${basePath}/openapi.json`;
  intro.append(element("p", source));
  main.append(intro);
  /** @type {Entry[]} */
  const entries = [];
  for (const tag of api.tags) {
    const section = element("section", element("h2", tag.name), element("p.lead", prose(tag.description)));
    const list = element("ul");
    for (const [path, methods] of Object.entries(api.paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags[0] !== tag.name) continue;
        const article = createArticle(method, path, operation, api);
        const link = createLink(method, path, operation);
        section.append(article);
        list.append(element("li", link));
        entries.push({ article, link, words: readWords(`${method} ${path}`, operation) });
      }
    main.append(section);
    nav.append(element("div.tag", element("h3", tag.name), list));
  }
  return entries;
}

/** @param {string} method @param {string} path @param {Operation} operation */
function createLink(method, path, operation) {
  const link = /** @type {HTMLAnchorElement} */ (
    element("a", methodMark(method), element("span", pathText(path)))
  );
  link.href = `#${operation.operationId}`;
  link.title = operation.summary;
  return link;
}

/** @param {string} method */
function methodMark(method) {
  return element(`span.method.${method}`, method.toUpperCase());
}

/** A path that may break where a part of it begins. @param {string} path */
function pathText(path) {
  const made = document.createDocumentFragment();
  for (const part of path.split(/(?=\/)/)) made.append(document.createElement("wbr"), part);
  return made;
}

/** @param {string} method @param {string} path @param {Operation} operation @param {{ [keyword: string]: any }} api */
function createArticle(method, path, operation, api) {
  const anchor = /** @type {HTMLAnchorElement} */ (element("a.anchor", operation.summary));
  anchor.href = `#${operation.operationId}`;
  const article = element(
    "article",
    element("h3", anchor),
    element("p.route", methodMark(method), element("code", pathText(path)), showRights(operation)),
    element(
      "div.columns",
      element(
        "div.details",
        operation.description === undefined ? null : element("p", prose(operation.description)),
        ...listParameters(operation),
        ...showRequestBody(operation),
        ...showAnswers(operation),
        ...showErrors(operation, api),
      ),
      element("div.examples", ...showExamples(method, path, operation)),
    ),
  );
  article.id = operation.operationId;
  article.tabIndex = -1;
  return article;
}

/** @param {Operation} operation */
function showRights(operation) {
  if (operation.security.length === 0) return element("span.right", "no key needed");
  const acl = operation["x-hearth-acl"];
  return element("span.right", acl === undefined ? "any valid key" : `ACL ${acl}`);
}

/** @param {Operation} operation */
function listParameters({ parameters = [] }) {
  return ["path", "query"].flatMap((place) => {
    const rows = parameters
      .filter((/** @type {Schema} */ parameter) => parameter.in === place)
      .map((/** @type {Schema} */ { name, schema, required, description }) =>
        fieldRow(
          name,
          { ...schema, ...(description === undefined ? {} : { description }) },
          required,
          "request",
        ),
      );
    const title = place === "path" ? "In the path" : "In the query";
    return rows.length === 0 ? [] : [element("h4", title), element("div.fields", ...rows)];
  });
}

/** @param {Operation} operation */
function showRequestBody({ requestBody }) {
  if (requestBody === undefined) return [];
  return [
    element("h4", "Request body"),
    ...Object.values(requestBody.content).map(({ schema }) => fieldRows(schema, "request")),
  ];
}

/** @param {Operation} operation */
function showAnswers({ responses }) {
  return Object.entries(responses)
    .filter(([, answer]) => answer.$ref === undefined)
    .flatMap(([code, { description, content = {} }]) => [
      element("h4", "Answer ", element("span.status", code)),
      element("p", prose(description)),
      ...Object.entries(content).flatMap(([type, media]) => showContent(type, media)),
    ]);
}

/** @param {string} type @param {{ [keyword: string]: any }} media */
function showContent(type, { schema }) {
  if (type === "text/event-stream") return [element("h4", "Events"), eventRows(schema)];
  return type === "application/json"
    ? [fieldRows(schema, "answer")]
    : [element("p.form", element("code", type))];
}

/** @param {Operation} operation @param {{ [keyword: string]: any }} api */
function showErrors({ responses }, api) {
  const failed = Object.entries(responses).filter(([, answer]) => answer.$ref !== undefined);
  if (failed.length === 0) return [];
  const codes = failed.map(([code]) => element("span.status.error", code));
  const details = element("details.errors", element("summary", "Errors ", ...codes));
  for (const [code, { $ref }] of failed) {
    const { description } = api.components.responses[readSchemaName($ref)];
    details.append(
      element("div.error", element("span.status.error", code), element("p", prose(description))),
    );
  }
  const [[, { $ref }] = ["", { $ref: "" }]] = failed;
  details.append(
    fieldRows(api.components.responses[readSchemaName($ref)].content["application/json"].schema, "answer"),
  );
  return [details];
}

/** @param {string} method @param {string} path @param {Operation} operation */
function showExamples(method, path, operation) {
  const content = operation.responses["200"]?.content ?? {};
  const whole = content["application/json"];
  const events = content["text/event-stream"];
  const curl = codeBlock("Request", writeCurl(method, path, operation, false));
  const sample = () => (whole === undefined ? "" : JSON.stringify(writeSample(whole.schema), null, 2));
  const answer = codeBlock("Answer", sample());
  const shown = [curl.block, ...(whole === undefined ? [] : [answer.block])];
  if (events === undefined || operation.requestBody === undefined) return shown;
  const box = /** @type {HTMLInputElement} */ (element("input"));
  box.type = "checkbox";
  box.addEventListener("change", () => {
    curl.code.textContent = writeCurl(method, path, operation, box.checked);
    answer.code.textContent = box.checked ? sampleFrames(events.schema, events["x-hearth-stream"]) : sample();
  });
  return [element("label.streamed", box, "streamed"), ...shown];
}
