/**
 * Server-sent events: each function gives one whole frame as one string, to be written in one piece, because some readers
 * lose a frame that arrives in two. What the frames carry is each dialect's own business.
 */

/** A frame without a name, as OpenAI chat streams use it. */
export function dataFrame(value: object): string {
  return `data: ${oneLine(value)}\n\n`;
}

/** A frame with an `event:` line. `type` is one of the server's own words, never a client's text. */
export function eventFrame(type: string, value: object): string {
  return `event: ${type}\ndata: ${oneLine(value)}\n\n`;
}

/** Ends an OpenAI stream. */
export const doneFrame = "data: [DONE]\n\n";

/** A comment that keeps the connection from looking dead; readers ignore it. */
export const pingFrame = ": ping\n\n";

/** JSON on what every reader takes for one line; some take more characters than a line feed for the end of one. */
function oneLine(value: object): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
