/** Decodes a sound file, in the thread that worker.ts starts. */
import { createHash } from "node:crypto";
import { describeOtherSound, isWav } from "../../core/prompt/sound-kinds.js";
import { findMp3, readMp3 } from "./mp3.js";
import { RefusedSound, type SoundPiece } from "./pieces.js";
import type { SoundOutcome, SoundRequest } from "./protocol.js";
import { Resampler } from "./resample.js";
import { readWav } from "./wav.js";

/** A data URL, which some clients send. */
const dataUrl = /^data:[^,;]{0,100}(?:;[^,;]{0,100}){0,8}?;base64,/i;
const dataUrlCharsMax = 1_024;
const secondsMin = 0.1;

/** Decodes a file to one channel at another rate. */
export async function decodeSound({ base64, sampleRate, secondsMax }: SoundRequest): Promise<SoundOutcome> {
  try {
    const file = decodeBase64(base64);
    const pieces: Float32Array[] = [];
    let resampler: Resampler | null = null;
    let seconds = 0;
    for await (const { sampleRate: rate, samples } of readFile(file)) {
      seconds += samples.length / rate;
      if (seconds > secondsMax) return { type: "too-long" };
      resampler ??= new Resampler(rate, sampleRate);
      pieces.push(resampler.push(samples));
    }
    if (resampler === null) throw new RefusedSound("has no sound");
    pieces.push(resampler.end());
    return share(pieces, sampleRate);
  } catch (thrown) {
    if (thrown instanceof RefusedSound) return { type: "refused", problem: thrown.message };
    throw thrown;
  }
}

/** Strict: the standard alphabet in whole groups of four, padded. */
function decodeBase64(text: string): Buffer {
  const head = dataUrl.exec(text.slice(0, dataUrlCharsMax))?.[0] ?? "";
  const content = text.slice(head.length);
  if (content === "") throw new RefusedSound("is empty");
  const padding = content.endsWith("==") ? 2 : content.endsWith("=") ? 1 : 0;
  const file = Buffer.from(content, "base64");
  // Node skips what is not base64, and reads the alphabet of URLs, too.
  const isWhole = content.length % 4 === 0 && file.length === (content.length / 4) * 3 - padding;
  if (!isWhole || content.includes("-") || content.includes("_"))
    throw new RefusedSound("is not base64: the standard alphabet with padding is read");
  return file;
}

function readFile(file: Buffer): Iterable<SoundPiece> | AsyncIterable<SoundPiece> {
  if (isWav(file)) return readWav(file);
  const start = findMp3(file);
  if (start >= 0) return readMp3(file, start);
  throw new RefusedSound(describeOtherSound(file));
}

/** Joins pieces in memory that threads share. Silence follows a sound that is shorter than encoders read. */
function share(pieces: readonly Float32Array[], sampleRate: number): SoundOutcome {
  const samples = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const length = Math.max(samples, Math.ceil(secondsMin * sampleRate));
  const pcm = new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
  const hash = createHash("sha256").update(`sound ${sampleRate} `);
  let at = 0;
  for (const piece of pieces) {
    pcm.set(piece, at);
    hash.update(piece);
    at += piece.length;
  }
  return { type: "sound", pcm, digest: hash.digest("hex") };
}
