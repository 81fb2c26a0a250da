/** Reads WAV files: integers of 8, 16, 24 and 32 bits, and floats of 32 and 64. */
import { checkRate, RefusedSound, type SoundPiece } from "./pieces.js";

/** A frame has one sample of each channel. */
interface WavFormat {
  readonly channels: number;
  readonly sampleRate: number;
  readonly frameBytes: number;
  readonly sampleBytes: number;
  readonly read: (view: DataView, at: number) => number;
}

const headBytes = 12;
const chunkHeadBytes = 8;
const formatBytesMin = 16;
const channelsMax = 8;
const pieceFrames = 16_384;
/** Programs that write to a pipe state such a size, or 0: the sound goes to the end of the file. */
const unknownSizeMin = 0x7fff_0000;
/** Codes of formats. An extensible one has its code further behind. */
const [integers, floats, extensible] = [1, 3, 0xfffe];
const extensibleCodeAt = 24;

/** @throws RefusedSound */
export function* readWav(file: Buffer): Generator<SoundPiece> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  let format: WavFormat | null = null;
  for (let at = headBytes; at + chunkHeadBytes <= file.length;) {
    const tag = tagAt(file, at);
    const stated = view.getUint32(at + 4, true);
    const start = at + chunkHeadBytes;
    if (tag === "data") {
      if (format === null) throw new RefusedSound("is damaged: its format is missing");
      const isUnknown = stated === 0 || stated >= unknownSizeMin;
      const end = isUnknown ? file.length : start + stated;
      if (end > file.length)
        throw new RefusedSound(`is cut: it states ${stated} bytes of sound, and has ${file.length - start}`);
      yield* readFrames(view, format, start, end);
      return;
    }
    if (tag === "fmt ") format = readFormat(view, start, stated);
    // Chunks are padded to an even size.
    at = start + stated + (stated & 1);
  }
  throw new RefusedSound("has no sound");
}

function readFormat(view: DataView, at: number, bytes: number): WavFormat {
  if (bytes < formatBytesMin || at + bytes > view.byteLength)
    throw new RefusedSound("is damaged: its format is cut");
  const stated = view.getUint16(at, true);
  const hasCode = stated === extensible && bytes >= extensibleCodeAt + 2;
  const code = hasCode ? view.getUint16(at + extensibleCodeAt, true) : stated;
  const channels = view.getUint16(at + 2, true);
  const sampleRate = view.getUint32(at + 4, true);
  const frameBytes = view.getUint16(at + 12, true);
  const bits = view.getUint16(at + 14, true);
  checkRate(sampleRate);
  if (channels < 1 || channels > channelsMax)
    throw new RefusedSound(`has ${channels} channels; 1 to ${channelsMax} are read`);
  const read = readers[`${code}/${bits}`];
  if (read === undefined) {
    const isKnown = code === integers || code === floats;
    const found = isKnown ? `samples of ${bits} bits` : `the codec ${code}`;
    throw new RefusedSound(`has ${found}; integers of 8 to 32 bits and floats of 32 and 64 are read`);
  }
  const sampleBytes = bits / 8;
  if (frameBytes !== channels * sampleBytes)
    throw new RefusedSound("is damaged: its format contradicts itself");
  return { channels, sampleRate, frameBytes, sampleBytes, read };
}

/** By code of the format and bits. */
const readers: Readonly<Record<string, WavFormat["read"]>> = {
  [`${integers}/8`]: (view, at) => view.getUint8(at) / 127.5 - 1,
  [`${integers}/16`]: (view, at) => view.getInt16(at, true) / 0x8000,
  [`${integers}/24`]: (view, at) =>
    (view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getInt8(at + 2) << 16)) / 0x80_0000,
  [`${integers}/32`]: (view, at) => view.getInt32(at, true) / 0x8000_0000,
  [`${floats}/32`]: (view, at) => finite(view.getFloat32(at, true)),
  [`${floats}/64`]: (view, at) => finite(view.getFloat64(at, true)),
};

/** Numbers that no sound has would make every sum that they are part of one, too. */
function finite(value: number): number {
  return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
}

function* readFrames(
  view: DataView,
  { channels, sampleRate, frameBytes, sampleBytes, read }: WavFormat,
  start: number,
  end: number,
): Generator<SoundPiece> {
  const frames = Math.floor((end - start) / frameBytes);
  for (let from = 0; from < frames; from += pieceFrames) {
    const samples = new Float32Array(Math.min(pieceFrames, frames - from));
    for (let index = 0; index < samples.length; index += 1) {
      const at = start + (from + index) * frameBytes;
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1) sum += read(view, at + channel * sampleBytes);
      samples[index] = sum / channels;
    }
    yield { sampleRate, samples };
  }
}

function tagAt(file: Buffer, at: number): string {
  return file.toString("latin1", at, at + 4);
}
