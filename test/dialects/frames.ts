/** A stream as it stands on the wire, read by the rules of server-sent events and by no more knowledge than that. */
export interface Frame {
  /** null where the frame has no name. */
  readonly event: string | null;
  readonly data: string;
}

/** @throws Error for what is no whole frame, or has lines that are neither a name nor data. */
export function readFrames(text: string): readonly Frame[] {
  const blocks = text.split("\n\n");
  if (blocks.pop() !== "") throw new Error("the last frame is not closed");
  return blocks.map((block) => {
    const match = /^(?:event: ([^\n\r]+)\n)?data: ([^\n\r]*)$/.exec(block);
    if (match === null) throw new Error(`no frame: ${block}`);
    return { event: match[1] ?? null, data: match[2] ?? "" };
  });
}
