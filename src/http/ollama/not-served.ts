import { HearthError } from "../../core/errors.js";
import type { Call } from "../route.js";
import type { RouteDocs } from "../route-docs.js";

interface Refused {
  readonly docs: RouteDocs;
  readonly handler: (call: Pick<Call, "route">) => void;
}

/**
 * Returns the handler and the documentation of an operation of Ollama that this server does not have.
 * @param advice what a person does instead @param params descriptions of the path parameters
 */
export function notServed(
  operation: string,
  summary: string,
  advice: string,
  params: RouteDocs["params"] = {},
): Refused {
  return {
    docs: {
      operation,
      tag: "Ollama",
      summary,
      description: `Not served. ${advice}`,
      params,
      errors: ["invalid_value"],
      answers: {},
    },
    handler: ({ route: { method, path } }) => {
      throw new HearthError("invalid_value", `This server does not serve ${method} ${path}. ${advice}`);
    },
  };
}
