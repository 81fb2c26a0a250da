/** Reads the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/** Characters of one event, its comments and other fields included: one token with its alternatives takes some thousands. */
export const eventCharactersMax = 4_194_304;

/** An event that is longer than any engine sends. */
export class EventTooLong extends Error {}

/**
 * Yields the data of each event; comments and other fields are dropped. The work is linear in the bytes.
 * @throws EventTooLong
 */
export async function* serverSentData(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const lines = new LineReader();
  let data: string[] = [];
  for await (const chunk of body) {
    for (const line of lines.read(decoder.decode(chunk, { stream: true }))) {
      if (line === "") {
        lines.startEvent();
        if (data.length > 0) yield data.join("\n");
        data = [];
      } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
  }
  if (data.length > 0) yield data.join("\n");
}

/** Cuts text into lines, which end with CR, LF or both. Each character is read once. */
class LineReader {
  /** The parts of the line that has not ended. */
  #parts: string[] = [];
  #eventCharacters = 0;
  #endedWithReturn = false;

  /** Called after the line that ends an event. */
  startEvent(): void {
    this.#eventCharacters = 0;
  }

  /** Yields the lines that end in this text. @throws EventTooLong */
  *read(text: string): Generator<string, void, undefined> {
    const ends = /\r\n|\n|\r/g;
    let from = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#endedWithReturn = text.endsWith("\r");
    ends.lastIndex = from;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#keep(text.slice(from, end.index));
      const line = this.#parts.join("");
      this.#parts = [];
      from = ends.lastIndex;
      yield line;
    }
    this.#keep(text.slice(from));
  }

  #keep(part: string): void {
    if (part === "") return;
    this.#eventCharacters += part.length;
    if (this.#eventCharacters > eventCharactersMax)
      throw new EventTooLong("an event of the engine is too long");
    this.#parts.push(part);
  }
}
