/** Reading over a reader's shoulder: the same bytes at the same time, and its leaving is passed on at once. */
export interface Onlooker {
  bytes(chunk: Uint8Array): void;
  /** The body came to its end; never called for one that was left or broke off. */
  end(): void;
}

/** The same answer with its body looked at as it is read; nothing is read ahead, and what is not read is not looked at. */
export function lookedAt(response: Response, body: ReadableStream<Uint8Array>, look: Onlooker): Response {
  const reader = body.getReader();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          look.end();
          controller.close();
        } else {
          look.bytes(value);
          controller.enqueue(value);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(stream, { status, statusText, headers }), "url", { value: url });
}
