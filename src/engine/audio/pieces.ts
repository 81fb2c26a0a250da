/** What the readers of sound files return, and how they refuse a file. */

/** Consecutive samples of a file, from -1 to 1: its channels mixed to one. */
export interface SoundPiece {
  /** Samples a second; the same for all pieces. */
  readonly sampleRate: number;
  readonly samples: Float32Array;
}

/** Why a file is not decoded: its message is a clause. */
export class RefusedSound extends Error {}

/** Samples a second that are read. */
const ratesRead = { min: 1_000, max: 384_000 };

/** @throws RefusedSound for a rate that no sound has */
export function checkRate(sampleRate: number): void {
  if (sampleRate < ratesRead.min || sampleRate > ratesRead.max)
    throw new RefusedSound(
      `has ${sampleRate} samples a second; ${ratesRead.min} to ${ratesRead.max} are read`,
    );
}
