/**
 * Formats server-sent events. Each frame is one string and must be written in one call, because some clients lose a frame
 * that arrives in two chunks.
 */

/** A frame without an event name, as in OpenAI chat streams. */
export function dataFrame(value: object): string {
  return `data: ${oneLine(value)}\n\n`;
}

/** A frame with an `event:` line. `type` is a constant of the server, never text from a client. */
export function eventFrame(type: string, value: object): string {
  return `event: ${type}\ndata: ${oneLine(value)}\n\n`;
}

/** Ends an OpenAI stream. */
export const doneFrame = "data: [DONE]\n\n";

/** A comment that keeps the connection alive. Clients ignore it. */
export const pingFrame = ": ping\n\n";

/** JSON on one line. Escapes the characters other than line feed that some clients treat as line ends. */
function oneLine(value: object): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
