/** Reads MP3 files with mpg123, compiled to WebAssembly. */
import { MPEGDecoder } from "mpg123-decoder";
import { checkRate, RefusedSound, type SoundPiece } from "./pieces.js";

/** Bytes that are decoded at a time: at most about 16 s of sound. */
const pieceBytes = 16_384;
const tagHeadBytes = 10;

/** Returns where the sound of an MP3 file begins, behind its tags; -1 when it is none. */
export function findMp3(file: Buffer): number {
  let at = 0;
  while (file.toString("latin1", at, at + 3) === "ID3" && at + tagHeadBytes <= file.length)
    at += tagHeadBytes + readTagSize(file, at + 6);
  return isFrame(file, at) ? at : -1;
}

/** @throws RefusedSound */
export async function* readMp3(file: Buffer, start: number): AsyncGenerator<SoundPiece> {
  const decoder = new MPEGDecoder();
  try {
    await decoder.ready;
    let rate = 0;
    for (let from = start; from < file.length; from += pieceBytes) {
      const { samplesDecoded, sampleRate, channelData } = decoder.decode(
        file.subarray(from, from + pieceBytes),
      );
      if (samplesDecoded === 0) continue;
      if (rate === 0) checkRate(sampleRate);
      else if (sampleRate !== rate)
        throw new RefusedSound(`changes from ${rate} to ${sampleRate} samples a second`);
      rate = sampleRate;
      yield { sampleRate, samples: mix(channelData) };
    }
  } finally {
    // Also where the file is refused or too long: the thread decodes others after it.
    decoder.free();
  }
}

/** Mixes channels to one. */
function mix(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0), ...others] = channels;
  if (others.length === 0) return first;
  return first.map((sample, index) => {
    const sum = others.reduce((total, channel) => total + (channel[index] ?? 0), sample);
    return sum / channels.length;
  });
}

/** A tag states its size in four bytes of 7 bits each. */
function readTagSize(file: Buffer, at: number): number {
  return file.subarray(at, at + 4).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
}

/** Whether a frame begins here: 11 set bits, then a version, a layer, a bit rate and a sample rate that exist. */
function isFrame(file: Buffer, at: number): boolean {
  const [first = 0, second = 0, third = 0] = file.subarray(at, at + 3);
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  const [bits, rate] = [third >> 4, (third >> 2) & 3];
  return (
    first === 0xff &&
    second >= 0xe0 &&
    version !== 1 &&
    layer !== 0 &&
    bits !== 15 &&
    bits !== 0 &&
    rate !== 3
  );
}
