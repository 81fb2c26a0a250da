/** Reads the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/** Characters of one event: one token with its alternatives takes some thousands. */
const eventLengthMax = 16_777_216;

/** Yields the data of each event; comments and other fields are dropped. @throws RangeError for an event that is too long */
export async function* serverSentData(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > eventLengthMax) throw new RangeError("an event of the engine is too long");
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
  if (data.length > 0) yield data.join("\n");
}
