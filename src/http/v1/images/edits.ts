/** POST /v1/images/edits: refused, because no supported image model reads an image. */
import { authorise } from "../../../accounts/keys/permissions.js";
import { invalidValue } from "../../../dialects/field-error.js";
import type { RouteDocs } from "../../route-docs.js";
import type { Call } from "../../route.js";

/** Refuses a request for an image made from another one; its body is not read. */
export function refuseImageInput({ principal, route }: Call): never {
  authorise(principal, { endpoint: route.endpointAcl, model: null });
  throw invalidValue(
    "image",
    "images that are made from other images are not supported by this server; POST /v1/images/generations makes them from a text",
    "unsupported_parameter",
  );
}

export const editImageDocs: RouteDocs = imageInputDocs("createImageEdit", "Edit an image: not supported");

/** Documents a route that takes an image. */
export function imageInputDocs(operation: string, summary: string): RouteDocs {
  return {
    operation,
    tag: "Images",
    summary,
    description:
      "Answers 400: the image models that the server runs have no encoder of images. Generate an image from a text at " +
      "`POST /v1/images/generations`. A body of any type is discarded.",
    answers: {},
    errors: ["invalid_value"],
  };
}
