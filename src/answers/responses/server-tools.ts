/** The tools of a response whose calls the server executes: what is offered to a key, and what executes the calls. */
import type { Principal } from "../../accounts/principals/api-key.js";
import { authorise, mayUseModel, modelNames } from "../../accounts/principals/permissions.js";
import { HearthError, modelNotFound } from "../../core/errors.js";
import type { Model, ModelRegistry } from "../../core/model.js";
import type { ResponsesRequest } from "../../dialects/openai-responses/parse.js";
import type { ServerToolOffer } from "../../dialects/openai-responses/tools/server-tools.js";
import { createImageTool, type ImageToolDeps } from "../../inference/images/image-tool.js";
import type { ServerTool } from "../../inference/run/run-context.js";
import { usableModel } from "../../inference/usable-model.js";

interface ServerToolDeps extends ImageToolDeps {
  readonly models: ModelRegistry;
}

/** Returns what the server executes for a key. */
export function serverToolOffer({ models }: ServerToolDeps, principal: Principal): ServerToolOffer {
  return {
    mcp: new Map(),
    imageGeneration(name) {
      if (imageModels(models).length === 0) return "none";
      try {
        imageModel(models, principal, name);
        return null;
      } catch (thrown) {
        if (thrown instanceof HearthError) return thrown;
        throw thrown;
      }
    },
  };
}

/** Returns what executes the calls of a request's tools. */
export function createServerTools(
  deps: ServerToolDeps,
  { serverTools }: ResponsesRequest,
  principal: Principal,
): readonly ServerTool[] {
  return serverTools.map(({ type, model: name, ...settings }) => {
    const model = imageModel(deps.models, principal, name);
    const { id } = model.manifest;
    return createImageTool(deps, type, { ...settings, model: name ?? id, modelId: id });
  });
}

/** @param name null = the first one. @throws HearthError why the key cannot use the model. */
function imageModel(models: ModelRegistry, principal: Principal, name: string | null): Model {
  if (name === null) {
    authorise(principal, { endpoint: "image", model: null });
    const first = imageModels(models).find((model) => mayUseModel(principal, model));
    if (first === undefined) throw noImageModel();
    return first;
  }
  const model = models.find(name);
  authorise(principal, { endpoint: "image", model: modelNames(name, model) });
  if (model === null) throw modelNotFound(name, []);
  return usableModel(models, name, "image");
}

function imageModels(models: ModelRegistry): readonly Model[] {
  return models.list().filter(({ manifest, unusable }) => manifest.kind === "image" && unusable === null);
}

function noImageModel(): HearthError {
  return new HearthError("permission_denied", "This API key has no access to an image model.");
}
