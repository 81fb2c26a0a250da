/** Parses a stream by the rules of server-sent events alone. */
export interface Frame {
  /** null if the frame has no event name. */
  readonly event: string | null;
  readonly data: string;
}

/** @throws Error if a frame is incomplete or has lines that are neither an event name nor data. */
export function readFrames(text: string): readonly Frame[] {
  const blocks = text.split("\n\n");
  if (blocks.pop() !== "") throw new Error("the last frame is not closed");
  return blocks.map((block) => {
    const match = /^(?:event: ([^\n\r]+)\n)?data: ([^\n\r]*)$/.exec(block);
    if (match === null) throw new Error(`no frame: ${block}`);
    return { event: match[1] ?? null, data: match[2] ?? "" };
  });
}
