/** Waiting that a signal ends: the waiter stops at once, and what it waited for continues for others. */

/** Waits for a model. When the signal aborts while it loads, the model is released as soon as it is loaded. */
export async function hold<Loaded extends { release(): void }>(
  loading: Promise<Loaded>,
  signal: AbortSignal,
): Promise<Loaded> {
  try {
    return await unlessAborted(loading, signal);
  } catch (thrown) {
    loading.then((loaded) => loaded.release()).catch(() => undefined);
    throw thrown;
  }
}

/** Returns the promise's value, or throws the signal's reason as soon as it aborts; the work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw signal.reason;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
