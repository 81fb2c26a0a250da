/** POST /api/copy, /api/create, /api/push and /api/blobs/{digest}: operations of Ollama that this server does not have. */
import { HearthError } from "../../core/errors.js";
import { apiKeyRoute, type ApiKeyRoute } from "../server/route.js";
import type { RouteDocs } from "../server/route-docs.js";
import { ollamaClients } from "./clients.js";

interface Refused {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** What a person does instead. */
  readonly advice: string;
  /** Descriptions of the path parameters. */
  readonly params?: RouteDocs["params"];
}

function refusedRoute({ path, operation, summary, advice, params = {} }: Refused): ApiKeyRoute {
  return apiKeyRoute({
    method: "POST",
    path,
    acl: null,
    ...ollamaClients,
    takesBody: false,
    docs: {
      operation,
      tag: "Ollama",
      summary,
      description: `Not served. ${advice}`,
      params,
      errors: ["invalid_value"],
      answers: {},
    },
    handle() {
      throw new HearthError("invalid_value", `This server does not serve POST ${path}. ${advice}`);
    },
  });
}

export const copyOllamaModel = refusedRoute({
  path: "/api/copy",
  operation: "copyOllamaModel",
  summary: "Copy a model (not served)",
  advice: "Give a model another name with `hearth alias NAME MODEL` or the setting `aliases`.",
});

export const createOllamaModel = refusedRoute({
  path: "/api/create",
  operation: "createOllamaModel",
  summary: "Create a model (not served)",
  advice:
    "Put a GGUF file into the folder of models, and set its template, system message and sampling with `hearth set`.",
});

export const pushOllamaModel = refusedRoute({
  path: "/api/push",
  operation: "pushOllamaModel",
  summary: "Upload a model (not served)",
  advice: "Hearth uploads no models.",
});

export const createOllamaBlob = refusedRoute({
  path: "/api/blobs/*digest",
  operation: "createOllamaBlob",
  summary: "Upload a file (not served)",
  advice: "Put GGUF files into the folder of models.",
  params: { digest: "Digest of the file." },
});
