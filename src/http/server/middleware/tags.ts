/** The header with which a client tags a request of any route. */
import { HearthError } from "../../../core/errors.js";

export const tagsHeader = "x-hearth-tags";

/** Tags of one request. */
const tagsMax = 16;
const tagCharsMax = 128;

/** Returns the tags of a header such as `project-x, env:prod`, each once. @throws HearthError `invalid_value` that names the header. */
export function parseTags(header: string): readonly string[] {
  const tags = [...new Set(header.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  if (tags.length > tagsMax) throw invalidHeader(`must have at most ${tagsMax} tags`);
  for (const tag of tags) {
    if (tag.length > tagCharsMax) throw invalidHeader(`must have tags of at most ${tagCharsMax} characters`);
    if (!/^[ -~]+$/.test(tag)) throw invalidHeader("must have printable ASCII characters only");
    if (tag === "*")
      throw invalidHeader("must not have the tag *, which stands for all that are not counted");
  }
  return tags;
}

function invalidHeader(what: string): HearthError {
  return new HearthError("invalid_value", `${tagsHeader}: ${what}`, { param: tagsHeader });
}
