/** Reads the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { createParser } from "eventsource-parser";

/** Characters of the data of one event, or of one line: one token with its alternatives takes some thousands. */
export const eventCharactersMax = 4_194_304;

/** An event that is longer than any engine sends. */
export class EventTooLong extends Error {}

/**
 * Yields the data of each event; comments and other fields are dropped. An event at the end of the body needs no
 * empty line behind it.
 * @throws EventTooLong
 */
export async function* serverSentData(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: eventCharactersMax,
    onEvent: ({ data }) => void events.push(data),
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") throw new EventTooLong("an event of the engine is too long");
    },
  });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
  }
  parser.feed("\n\n");
  yield* events;
}
