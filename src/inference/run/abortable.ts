/**
 * Waiting, for a run whose client may leave meanwhile: the run stops waiting at once, what it waited for goes on for others.
 */

/** The model, held; a run that leaves while it loads lets go of it as soon as it is there. */
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

/** The promise's value, or the signal's reason as soon as it aborts; the work itself goes on for others. */
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
