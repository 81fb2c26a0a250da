/** GET /docs/guides/pictures/{name}: an SVG file that a guide shows. */
import { notModified, presentCachedByName } from "../../../server/reply/cached-answer.js";
import { publicRoute } from "../../../server/route.js";
import { guidesFolder } from "./folder.js";

const headers = {
  // A picture that is opened by itself is a document: it may style itself, and do nothing else.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "referrer-policy": "no-referrer",
};

export const getGuidePicture = publicRoute({
  method: "GET",
  path: "/docs/guides/pictures/:name",
  docs: {
    operation: "getGuidePicture",
    tag: "Server",
    summary: "Show a picture of a guide",
    params: { name: "As the guide links to it." },
    answers: { 200: { description: "The picture.", contentType: "image/svg+xml" }, 304: notModified },
  },
  handle: presentCachedByName((name, app) => {
    const text = guidesFolder(app).pictures().get(name);
    return text === undefined ? null : { contentType: "image/svg+xml; charset=utf-8", text, headers };
  }),
});
