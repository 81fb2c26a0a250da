"use strict";
/**
 * JSON Schemas as something to read: what a value may be in a few words, and its fields as rows that open.
 *
 * @typedef {{ [keyword: string]: any }} Schema
 * @typedef {"request" | "answer"} Side
 * @typedef {{ label: string, fields: [string, Schema, boolean][] }} Group fields of one form of a value; true: required
 */

/** @type {Schema} The schemas that have names. */
const namedSchemas = {};

/**
 * An element with its class and what is in it.
 * @param {string} tag the tag's name, and classes behind dots
 * @param {...(Node | string | null)} content
 */
function element(tag, ...content) {
  const [name = "div", ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const each of content) if (each !== null && each !== "") made.append(each);
  return made;
}

/** A text whose words between backticks are code. @param {string} text */
function prose(text) {
  const made = document.createDocumentFragment();
  text.split("`").forEach((part, at) => made.append(at % 2 === 1 ? element("code", part) : part));
  return made;
}

/** Follows a reference. @param {Schema} schema @returns {Schema} */
function resolved(schema) {
  if (typeof schema.$ref !== "string") return schema;
  const { $ref, ...rest } = schema;
  return { ...resolved(namedSchemas[readSchemaName($ref)] ?? {}), ...rest };
}

/** @param {string} reference */
function readSchemaName(reference) {
  return reference.split("/").at(-1) ?? "";
}

/** The forms that a value may have, null left out. @param {Schema} schema @returns {Schema[]} */
function listForms(schema) {
  const union = schema.anyOf ?? schema.oneOf;
  if (union === undefined && schema.$ref !== undefined) {
    const target = resolved(schema);
    return target.anyOf === undefined && target.oneOf === undefined ? [schema] : listForms(target);
  }
  if (union === undefined) return schema.type === "null" ? [] : [schema];
  return union.flatMap(listForms);
}

/** @param {Schema} schema @returns {boolean} */
function mayBeNull(schema) {
  if (schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null"))) return true;
  return (schema.anyOf ?? schema.oneOf ?? []).some(mayBeNull);
}

/** What a value may be, in few words. Asked for, null is the same as absent. @param {Schema} schema @param {Side} side */
function typeText(schema, side) {
  const union = schema.anyOf ?? schema.oneOf;
  const names =
    union === undefined
      ? [nameOfType(schema, side)]
      : listForms(schema).map((form) => nameOfType(form, side));
  const nullable = side === "answer" && mayBeNull(schema) ? ["null"] : [];
  return [...new Set([...names, ...nullable])].join(" | ");
}

/** @param {Schema} schema @param {Side} side @returns {string} */
function nameOfType(schema, side) {
  if (schema.$ref !== undefined) return readSchemaName(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(" | ");
  const types = [schema.type].flat().filter((type) => type !== undefined && type !== "null");
  if (types.includes("array")) {
    const items = typeText(schema.items ?? {}, side);
    return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
  }
  if (
    types.includes("object") &&
    schema.properties === undefined &&
    schema.additionalProperties !== undefined
  )
    return `map of ${typeText(schema.additionalProperties, side)}`;
  return types.length === 0 ? "any" : types.join(" | ");
}

/** Within which bounds a value must be. @param {Schema} schema @returns {string} */
function boundsText(schema) {
  const texts = listForms(schema)
    .map(resolved)
    .flatMap((form) => [
      range(form.minimum, form.maximum, ""),
      range(form.minLength, form.maxLength, "characters"),
      range(form.minItems, form.maxItems, "items"),
      range(form.minProperties, form.maxProperties, "entries"),
      form.format ?? "",
    ]);
  return [...new Set(texts.filter((text) => text !== ""))].join("; ");
}

/** @param {number | undefined} min @param {number | undefined} max @param {string} unit */
function range(min, max, unit) {
  const far = 2 ** 31;
  const from = min === undefined || min <= -far || (min === 0 && max === undefined) ? undefined : min;
  const to = max === undefined || max >= far - 1 ? undefined : max;
  const text = /** @param {number} value */ (value) => value.toLocaleString("en");
  const withUnit = (/** @type {string} */ bounds) => (unit === "" ? bounds : `${bounds} ${unit}`);
  if (from !== undefined && to !== undefined) return withUnit(`${text(from)} to ${text(to)}`);
  if (from !== undefined) return withUnit(`${text(from)} or more`);
  return to === undefined ? "" : withUnit(`at most ${text(to)}`);
}

/** The fields of a value, by its forms: an array has the fields of its elements. @param {Schema} schema @returns {Group[]} */
function listGroups(schema) {
  return listForms(schema).flatMap((form) => {
    const whole = resolved(form);
    if (whole.type === "array") return listGroups(whole.items ?? {});
    if (whole.properties === undefined) {
      const entries = whole.additionalProperties;
      return typeof entries === "object" ? listGroups(entries) : [];
    }
    const required = new Set(whole.required ?? []);
    const fields = Object.entries(whole.properties).map(
      ([name, field]) => /** @type {[string, Schema, boolean]} */ ([name, field, required.has(name)]),
    );
    return [{ label: toLabel(form, whole), fields }];
  });
}

/** What distinguishes a form from others: its constant, else its name. @param {Schema} form @param {Schema} whole */
function toLabel(form, whole) {
  for (const key of ["type", "role", "object"]) {
    const value = whole.properties?.[key]?.const;
    if (value !== undefined) return `${key}: ${JSON.stringify(value)}`;
  }
  return form.$ref === undefined ? "" : readSchemaName(form.$ref);
}

/** Rows of all fields of a value. @param {Schema} schema @param {Side} side @returns {HTMLElement} */
function fieldRows(schema, side) {
  const groups = listGroups(schema).filter(({ fields }) => fields.length > 0);
  return element(
    "div.fields",
    ...groups.flatMap(({ label, fields }) => [
      groups.length > 1 && label !== "" ? element("p.form", element("code", label)) : null,
      ...fields.map(([name, field, required]) => fieldRow(name, field, required, side)),
    ]),
  );
}

/**
 * One field.
 * @param {string} name @param {Schema} schema @param {boolean} required @param {Side} side @returns {HTMLElement}
 */
function fieldRow(name, schema, required, side) {
  const parts = [
    element("code.name", name),
    element("span.type", typeText(schema, side)),
    required && side === "request" ? element("span.required", "required") : null,
    !required && side === "answer" ? element("span.bounds", "may be absent") : null,
    element("span.bounds", boundsText(schema)),
    schema.default === undefined ? null : element("span.bounds", `default ${JSON.stringify(schema.default)}`),
  ];
  const description = schema.description ?? resolved(schema).description ?? "";
  const note = description === "" ? null : element("p", prose(description));
  const head = element("span.head", ...parts);
  if (listGroups(schema).every(({ fields }) => fields.length === 0)) return element("div.field", head, note);
  return opening([head, note], () => fieldRows(schema, side));
}

/** Something that opens; what is inside it is made when it does. @param {(Node | null)[]} outside @param {() => Node} inside */
function opening(outside, inside) {
  const details = element("details.field", element("summary", ...outside));
  details.addEventListener("toggle", () => details.append(inside()), { once: true });
  return details;
}

/** The events of a stream, each by what distinguishes it from the others. @param {Schema} schema */
function eventRows(schema) {
  const events = listForms(schema).map((form) => {
    const [group] = listGroups(form);
    const name = element("span.head", element("code.name", group?.label ?? nameOfType(form, "answer")));
    const { description = "" } = resolved(form);
    const note = description === "" ? null : element("p", prose(description));
    return opening([name, note], () => fieldRows(form, "answer"));
  });
  return element("div.fields", ...events);
}
