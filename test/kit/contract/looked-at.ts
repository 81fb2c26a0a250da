/** Observes a response body while it is read: the observer gets the same bytes at the same time, and a cancellation is passed on at once. */
export interface BodyObserver {
  bytes(chunk: Uint8Array): void;
  /** Called at the end of the body, but not if it was cancelled or failed. */
  end(): void;
}

/** Returns the same response with an observed body. Nothing is read ahead; what the reader does not read is not observed. */
export function observeResponse(
  response: Response,
  body: ReadableStream<Uint8Array>,
  look: BodyObserver,
): Response {
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
