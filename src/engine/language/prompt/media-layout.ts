/** How the media of a conversation stand in its prompt. */
import { createHash } from "node:crypto";
import { placeholderMin, type Medium, type PromptMedium } from "../../../core/prompt/media.js";

/** What stands in a prompt for a medium: tokens of the model's own marks, and placeholders of its parts, counted from its first token. */
export interface LaidOutMedium {
  readonly tokens: readonly number[];
  readonly parts: readonly Omit<PromptMedium, "medium">[];
}

/** The port to what reads media for a model. */
export interface MediaLayout {
  /** @throws HearthError `invalid_value` for a medium that the model cannot read */
  layOut(medium: Medium, param: string): Promise<LaidOutMedium>;
}

/** Bytes of a placeholder, and of the hash that several are made of. */
const placeholderBytes = 4;

/** Returns the placeholders of a part of a medium: 31 bits of a hash each, beyond every vocabulary. */
export function createPlaceholders(digest: string, chunk: number, count: number): readonly number[] {
  const made: number[] = [];
  for (let block = 0; made.length < count; block += 1) {
    const hash = createHash("sha256").update(`${digest} ${chunk} ${block}`).digest();
    for (let at = 0; at < hash.length && made.length < count; at += placeholderBytes)
      made.push((hash.readUInt32LE(at) | placeholderMin) >>> 0);
  }
  return made;
}
