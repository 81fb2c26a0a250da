/** Writes sound files. */
import { readFileSync } from "node:fs";

/** A sound as a function of the seconds since its beginning. */
export type Sound = (seconds: number) => number;

/** A tone that rises and swells, a different one for each seed. */
export function risingTone(seed = 1): Sound {
  return (t) =>
    0.25 * Math.sin(2 * Math.PI * (200 + 100 * seed + 400 * t) * t) * (0.5 + 0.5 * Math.sin(19 * t));
}

interface WavOptions {
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bits?: 8 | 16 | 24 | 32 | 64;
  readonly isFloat?: boolean;
  /** Changes of the header, by position in the file. */
  readonly header?: Readonly<Record<number, readonly number[]>>;
}

/** Returns a WAV file; its right channels are silent, where it has several. */
export function wavOf(
  sound: Sound,
  seconds: number,
  { sampleRate = 16_000, channels = 1, bits = 16, isFloat = false, header = {} }: WavOptions = {},
): Buffer {
  const frames = Math.round(seconds * sampleRate);
  const [sampleBytes, headBytes] = [bits / 8, 44];
  const frameBytes = channels * sampleBytes;
  const file = Buffer.alloc(headBytes + frames * frameBytes);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(isFloat ? 3 : 1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * frameBytes, 28);
  file.writeUInt16LE(frameBytes, 32);
  file.writeUInt16LE(bits, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(frames * frameBytes, 40);
  const silence = bits === 8 ? 128 : 0;
  if (silence !== 0) file.fill(silence, headBytes);
  for (let index = 0; index < frames; index += 1) {
    const at = headBytes + index * frameBytes;
    const value = sound(index / sampleRate) * channels;
    if (isFloat && bits === 64) file.writeDoubleLE(value, at);
    else if (isFloat) file.writeFloatLE(value, at);
    else if (bits === 8) file.writeUInt8(Math.round((value + 1) * 127.5), at);
    else file.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, sampleBytes);
  }
  for (const [at, bytes] of Object.entries(header)) file.set(bytes, Number(at));
  return file;
}

/** The first two seconds of `risingTone()` at 16 kHz, encoded by lamejs with 32 kbit/s. */
export function risingToneMp3(): Buffer {
  return readFileSync(new URL("../fixtures/audio/rising-tone.mp3", import.meta.url));
}

/** Seconds of a frame of `silentMp3`. */
const frameSeconds = 0.072;

/** Returns an MP3 file of the lowest bit rate that there is, 1 kB for each second. */
export function silentMp3(seconds: number): Buffer {
  const frame = Buffer.alloc(72);
  frame.set([0xff, 0xe3, 0x18, 0xc0]);
  return Buffer.concat(Array.from({ length: Math.ceil(seconds / frameSeconds) }, () => frame));
}
