/** GET /docs/guides/pictures/{name}: an SVG file that a guide shows. */
import { notModified, presentCachedByName } from "../../reply/cached-answer.js";
import type { Context } from "../../context.js";
import type { RouteDocs } from "../../route-docs.js";
import type { GuidesFolder } from "./folder.js";

const headers = {
  // A picture that is opened by itself is a document: it may style itself, and do nothing else.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "referrer-policy": "no-referrer",
};

/** The handler. */
export function presentPicture(folder: GuidesFolder): (ctx: Context) => void {
  return presentCachedByName((name) => {
    const text = folder.pictures().get(name);
    return text === undefined ? null : { contentType: "image/svg+xml; charset=utf-8", text, headers };
  });
}

export const pictureDocs: RouteDocs = {
  operation: "getGuidePicture",
  tag: "Server",
  summary: "Show a picture of a guide",
  params: { name: "As the guide links to it." },
  answers: { 200: { description: "The picture.", contentType: "image/svg+xml" }, 304: notModified },
};
