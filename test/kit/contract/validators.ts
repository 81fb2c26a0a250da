/** Compiles the schemas of the OpenAPI document to functions when they are first needed. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "../../../src/http/about/openapi/document.js";

/** Returns the problems of a value, one line each; empty if it is valid. */
export type Check = (value: unknown) => readonly string[];

const problemsMax = 5;
const valueCharsMax = 200;
const documentId = "hearth:openapi";

/** Creates the check for the schema at a path of the document. */
export function createChecks(document: OpenApiDocument): (place: readonly string[]) => Check {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    // Optimizing a validator takes longer than it saves in a run of tests.
    code: { optimize: false },
  });
  addFormats.default(ajv);
  ajv.addSchema({ $id: documentId, ...document });
  const compiled = new Map<string, ValidateFunction>();
  return (place) => {
    const pointer = place.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    return (value) => {
      let validate = compiled.get(pointer);
      if (validate === undefined) {
        validate = ajv.compile({ $ref: `${documentId}#${encodeURI(pointer)}` });
        compiled.set(pointer, validate);
      }
      return validate(value) ? [] : describeProblems(validate.errors ?? []);
    };
  };
}

/** Every branch of a union reports problems; those with the deepest paths are the most useful. */
function describeProblems(errors: readonly ErrorObject[]): readonly string[] {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split("/").length;
  const lines = errors.toSorted((a, b) => depth(b) - depth(a)).map(line);
  return [...new Set(lines)].slice(0, problemsMax);
}

function line({ instancePath, message, params, data }: ErrorObject): string {
  const { additionalProperty, missingProperty, allowedValue } = params as Readonly<Record<string, unknown>>;
  const what = [additionalProperty, missingProperty ?? allowedValue].filter((each) => each !== undefined);
  const place = instancePath === "" ? "the whole" : instancePath;
  const named =
    what.length === 0
      ? ""
      : ` (${what.map((each) => (typeof each === "string" ? each : shown(each))).join(", ")})`;
  return `${place} ${message ?? "is wrong"}${named}, here it is ${shown(data)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
}
