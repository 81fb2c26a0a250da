/** Sound in a conversation, and the port that decodes it. */
import type { SoundMedium } from "./media.js";
import type { FileOrigin } from "./documents.js";

/** The formats of sound files, as clients name them. */
export const soundFormats = ["wav", "mp3"] as const;

/** Bytes of one sound file. */
export const soundBytesMax = 32 * 1024 * 1024;

/** Sound in a message. */
export interface MessageSound {
  /** Position: before this UTF-16 unit of the message's content. Sounds are ordered by position. */
  readonly at: number;
  /** How many of the message's images are before it. */
  readonly imagesBefore: number;
  /** The file in base64, as the client wrote it. */
  readonly base64: string;
  readonly format: (typeof soundFormats)[number];
  /** The request's field that holds it, for errors. */
  readonly param: string;
}

/** What a file is decoded to. */
export interface SoundTerms {
  /** Samples a second. */
  readonly sampleRate: number;
  readonly secondsMax: number;
}

export interface DecodedSound {
  readonly medium: SoundMedium;
  readonly seconds: number;
}

/** The port that decodes sound files. */
export interface SoundDecoder {
  /**
   * Decodes a file to one channel. What the file is decides how, and not its stated format.
   * @returns null when it is longer than `secondsMax`
   * @throws HearthError `invalid_value` naming the field for what is not base64, not WAV or MP3, damaged, without sound or too large;
   * `overloaded` when too many files wait; the signal's reason when it aborts before the file's turn.
   */
  decode(
    base64: string,
    terms: SoundTerms,
    from: FileOrigin,
    signal: AbortSignal,
  ): Promise<DecodedSound | null>;
  close(): Promise<void>;
}
