/** POST /v1/images/edits and /v1/images/variations: refused, because no supported image model reads an image. */
import { authorise } from "../../../accounts/principals/permissions.js";
import { invalidValue } from "../../../dialects/field-error.js";
import { apiKeyRoute, type ApiKeyRoute } from "../../server/route.js";

export const editImage = refusedRoute("/v1/images/edits", "createImageEdit", "Edit an image: not supported");

export const varyImage = refusedRoute(
  "/v1/images/variations",
  "createImageVariation",
  "Vary an image: not supported",
);

/** A route that takes an image; its body is not read. */
function refusedRoute(path: string, operation: string, summary: string): ApiKeyRoute {
  return apiKeyRoute({
    method: "POST",
    path,
    acl: "image",
    takesBody: false,
    docs: {
      operation,
      tag: "Images",
      summary,
      description:
        "Answers 400: the image models that the server runs have no encoder of images. Generate an image from a text at " +
        "`POST /v1/images/generations`. A body of any type is discarded.",
      answers: {},
      errors: ["invalid_value"],
    },
    handle({ principal, route }) {
      authorise(principal, { endpoint: route.acl, model: null });
      throw invalidValue(
        "image",
        "images that are made from other images are not supported by this server; POST /v1/images/generations makes them from a text",
        "unsupported_parameter",
      );
    },
  });
}
