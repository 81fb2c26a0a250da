"use strict";
/** Something to paste and something to expect: requests as curl commands, answers and events as samples of their schema. */

const exampleModel = "hearth-tiny-5m";
const depthMax = 8;

/**
 * A command that can be pasted as it is once the key is in the environment.
 * @param {string} method @param {string} path @param {{ [keyword: string]: any }} operation @param {boolean} streamed
 */
function writeCurl(method, path, operation, streamed) {
  const url = `${location.origin}${basePath}${path.replace(/\{(\w+)\}/g, (_, name) => name.toUpperCase())}`;
  const lines = [`curl${streamed ? " -N" : ""} ${url}`];
  if (!["get", "post"].includes(method) || (method === "post" && operation.requestBody === undefined))
    lines[0] = `curl -X ${method.toUpperCase()} ${url}`;
  if (operation.security.length > 0)
    lines.push(`-H "Authorization: Bearer $${nameKeyVariable(path, operation.security)}"`);
  const example = operation.requestBody?.content["application/json"]?.example;
  if (example !== undefined) {
    const body = streamed ? { ...example, stream: true } : example;
    lines.push('-H "Content-Type: application/json"');
    lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}

/**
 * The variable that the clients of a route read their key from. Hearth's own variables are settings of the server.
 * @param {string} path @param {{ [scheme: string]: string[] }[]} security
 */
function nameKeyVariable(path, security) {
  if (security.some((scheme) => "managementKey" in scheme)) return "MANAGEMENT_KEY";
  return /^\/v1\/(messages|complete)\b/.test(path) ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
}

/**
 * A value that a schema allows, as realistic as the schema permits.
 * @param {Schema} schema @param {string} [name] of the field that it is for @param {number} [depth]
 * @returns {unknown}
 */
function writeSample(schema, name = "", depth = 0) {
  const [form] = listForms(schema);
  if (form === undefined || (depth > 0 && mayBeNull(schema))) return null;
  const whole = resolved(form);
  if ("const" in whole) return whole.const;
  if (whole.enum !== undefined) return whole.enum[0];
  switch ([whole.type].flat()[0]) {
    case "object":
      return sampleObject(whole, depth);
    case "array":
      return depth > depthMax || whole.maxItems === 0
        ? []
        : [writeSample(whole.items ?? {}, name, depth + 1)];
    case "integer":
    case "number":
      return whole.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return sampleText(whole, name);
  }
}

/** @param {Schema} schema @param {number} depth */
function sampleObject(schema, depth) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name));
  if (depth > depthMax) return {};
  return Object.fromEntries(fields.map(([name, field]) => [name, writeSample(field, name, depth + 1)]));
}

/** @param {Schema} schema @param {string} name */
function sampleText(schema, name) {
  if (schema.format === "date-time") return "2026-01-01T00:00:00.000Z";
  if (name === "model") return exampleModel;
  return "…";
}

/** Frames of an event stream, one of each sort. @param {Schema} schema @param {{ named: boolean, done: boolean }} form */
function sampleFrames(schema, { named, done }) {
  const frames = listForms(schema).map((event) => {
    const data = writeSample(event);
    const type = data !== null && typeof data === "object" && "type" in data ? String(data.type) : "";
    return `${named ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\n`;
  });
  return [...frames, ...(done ? ["data: [DONE]\n"] : [])].join("\n");
}

/** A block of code with a button that copies it. @param {string} title @param {string} text */
function codeBlock(title, text) {
  const button = /** @type {HTMLButtonElement} */ (element("button", "Copy"));
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const code = element("code", text);
  const pre = element("pre", code);
  // What scrolls can be reached by keys.
  pre.tabIndex = 0;
  // Browsers lend the clipboard only to pages that came safely.
  const copier = navigator.clipboard === undefined ? null : button;
  return { block: element("figure.code", element("figcaption", title, copier), pre), code };
}
