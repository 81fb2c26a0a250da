/** Sound files, decoded in a thread of their own. */
import { afterAll, describe, expect, it } from "vitest";
import { createSoundDecoder } from "../../../src/engine/audio/sound-decoder.js";
import { systemClock } from "../../../src/system/clock.js";
import { risingTone, risingToneMp3, silentMp3, wavOf, type Sound } from "../../kit/sound-files.js";
import { workerUrls } from "../../kit/worker-urls.js";

const decoder = createSoundDecoder({
  clock: systemClock,
  workerUrl: workerUrls.audioWorkerUrl,
  log: () => undefined,
});
afterAll(() => decoder.close());

const sampleRate = 16_000;

const decodeText = (base64: string, secondsMax = 600) =>
  decoder.decode(
    base64,
    { sampleRate, secondsMax },
    { param: "field", teamId: "team" },
    new AbortController().signal,
  );

const decode = (file: Buffer, secondsMax?: number) => decodeText(file.toString("base64"), secondsMax);

async function samplesOf(file: Buffer): Promise<Float32Array> {
  const decoded = await decode(file);
  if (decoded === null) throw new Error("too long");
  return decoded.medium.pcm;
}

/** The largest difference of samples to a sound, without the ends, which a filter changes. */
function difference(samples: Float32Array, sound: Sound, ends = 200): number {
  const inner = samples.subarray(ends, samples.length - ends);
  return inner.reduce(
    (most, sample, index) => Math.max(most, Math.abs(sample - sound((index + ends) / sampleRate))),
    0,
  );
}

describe("a WAV file", () => {
  it.each([
    ["8 bits", { bits: 8 }, 0.01],
    ["16 bits", { bits: 16 }, 1e-4],
    ["24 bits", { bits: 24 }, 1e-6],
    ["32 bits", { bits: 32 }, 1e-6],
    ["floats", { bits: 32, isFloat: true }, 1e-6],
    ["floats of 64 bits", { bits: 64, isFloat: true }, 1e-6],
    ["two channels", { channels: 2 }, 1e-4],
    ["48,000 samples a second", { sampleRate: 48_000 }, 1e-3],
    ["44,100 samples a second, two channels", { sampleRate: 44_100, channels: 2 }, 1e-3],
    ["8,000 samples a second", { sampleRate: 8_000 }, 1e-3],
    ["11,025 samples a second", { sampleRate: 11_025 }, 1e-3],
    ["a rate without common divisor", { sampleRate: 44_101 }, 1e-3],
  ] as const)("of %s becomes the same samples", async (_, options, tolerance) => {
    const samples = await samplesOf(wavOf(risingTone(), 1, options));
    expect(samples).toHaveLength(sampleRate);
    expect(difference(samples, risingTone())).toBeLessThan(tolerance);
  });

  it("loses what the lower rate cannot have, and nothing else", async () => {
    const tone: Sound = (t) => 0.4 * Math.sin(2 * Math.PI * 1_000 * t);
    const both: Sound = (t) => tone(t) + 0.4 * Math.sin(2 * Math.PI * 12_000 * t);
    expect(difference(await samplesOf(wavOf(both, 1, { sampleRate: 48_000 })), tone)).toBeLessThan(1e-3);
  });

  it("has one digest for equal sounds, and another one for others", async () => {
    const digestOf = async (seed: number) => (await decode(wavOf(risingTone(seed), 0.5)))?.medium.digest;
    expect(await digestOf(1)).toBe(await digestOf(1));
    expect(await digestOf(2)).not.toBe(await digestOf(1));
  });

  it("is read to its end where its writer did not know its size, and with further chunks", async () => {
    const unknown = wavOf(risingTone(), 0.5, { header: { 40: [0xff, 0xff, 0xff, 0xff] } });
    expect(await samplesOf(unknown)).toHaveLength(sampleRate / 2);
    const whole = wavOf(risingTone(), 0.5);
    const list = Buffer.from("LIST\x03\0\0\0abc\0", "latin1");
    const withList = Buffer.concat([whole.subarray(0, 36), list, whole.subarray(36), list]);
    expect(await samplesOf(withList)).toEqual(await samplesOf(whole));
  });

  it("has no samples that are no numbers", async () => {
    const file = wavOf(risingTone(), 0.5, { bits: 32, isFloat: true });
    file.writeFloatLE(NaN, 44);
    file.writeFloatLE(Infinity, 48);
    expect((await samplesOf(file)).every(Number.isFinite)).toBe(true);
  });
});

describe("an MP3 file", () => {
  it.each([
    ["", Buffer.alloc(0)],
    [" behind a tag", Buffer.from("ID3\x03\0\0\0\0\x02\x01".padEnd(10 + 257, "\0"), "latin1")],
  ])("becomes the sound that was encoded%s", async (_, tag) => {
    const samples = await samplesOf(Buffer.concat([tag, risingToneMp3()]));
    const sound = await samplesOf(wavOf(risingTone(), 1.5));
    // An encoder puts some silence first.
    const middle = sound.subarray(8_000, 12_000);
    const errors = Array.from({ length: 3_000 }, (_each, shift) => errorAt(samples, middle, 8_000 + shift));
    expect(Math.min(...errors)).toBeLessThan(0.05);
  });
});

/** The energy of the difference to a sound that begins at a sample, for each unit of the sound's. */
function errorAt(samples: Float32Array, sound: Float32Array, shift: number): number {
  let [error, energy] = [0, 0];
  for (const [index, expected] of sound.entries()) {
    error += ((samples[index + shift] ?? 0) - expected) ** 2;
    energy += expected ** 2;
  }
  return error / energy;
}

describe("a file that is not decoded", () => {
  const wav = wavOf(risingTone(), 0.5);
  it.each([
    ["empty", Buffer.alloc(0), "is empty"],
    ["of no known format", Buffer.from("hello world, this is no sound"), "is neither WAV nor MP3"],
    ["FLAC", Buffer.from("fLaC\0\0\0\x22"), "is FLAC; WAV and MP3 are read"],
    ["Ogg", Buffer.from("OggS\0\x02"), "is Ogg; WAV and MP3 are read"],
    ["an MP4", Buffer.from("\0\0\0\x20ftypM4A "), "is MP4; WAV and MP3 are read"],
    ["a WAV without samples", wavOf(risingTone(), 0), "has no sound"],
    ["a WAV that ends behind its head", wav.subarray(0, 36), "has no sound"],
    ["a WAV that is cut", wav.subarray(0, 1_000), "is cut: it states 16000 bytes of sound, and has 956"],
    [
      "a WAV that states too much",
      wavOf(risingTone(), 0.5, { header: { 40: [0, 0, 0, 0x70] } }),
      "is cut: it states 1879048192 bytes of sound, and has 16000",
    ],
    [
      "a WAV of another codec",
      wavOf(risingTone(), 0.5, { header: { 20: [0x11, 0] } }),
      "has the codec 17; integers of 8 to 32 bits and floats of 32 and 64 are read",
    ],
    [
      "a WAV of 12 bits",
      wavOf(risingTone(), 0.5, { header: { 34: [12, 0] } }),
      "has samples of 12 bits; integers of 8 to 32 bits and floats of 32 and 64 are read",
    ],
    [
      "a WAV of 0 channels",
      wavOf(risingTone(), 0.5, { header: { 22: [0, 0] } }),
      "has 0 channels; 1 to 8 are read",
    ],
    [
      "a WAV of no rate",
      wavOf(risingTone(), 0.5, { header: { 24: [0, 0, 0, 0] } }),
      "has 0 samples a second; 1000 to 384000 are read",
    ],
    [
      "a WAV that contradicts itself",
      wavOf(risingTone(), 0.5, { header: { 32: [7, 0] } }),
      "is damaged: its format contradicts itself",
    ],
    [
      "an MP3 whose tag is longer than the file",
      Buffer.concat([Buffer.from("ID3\x03\0\0\x7f\x7f\x7f\x7f", "latin1"), risingToneMp3()]),
      "is neither WAV nor MP3",
    ],
    ["an MP3 of one byte of a frame", risingToneMp3().subarray(0, 60), "has no sound"],
  ])("%s", async (_, file, problem) => {
    await expect(decode(file)).rejects.toMatchObject({
      kind: "invalid_value",
      param: "field",
      message: `field: the sound file ${problem}`,
    });
  });

  it.each([
    ["letters that it does not have", "UklG*#!?"],
    ["the alphabet of URLs", "UklG_-__"],
    ["no padding", "UklGRg"],
  ])("base64 with %s", async (_, text) => {
    await expect(decodeText(text)).rejects.toMatchObject({
      message: "field: the sound file is not base64: the standard alphabet with padding is read",
    });
  });

  it("has too many bytes", async () => {
    await expect(decodeText("A".repeat(44_740_000))).rejects.toMatchObject({
      message: "field: the sound file has more than 33554432 bytes",
    });
  });

  it.each([
    ["an MP3 of 1 kB a second", () => silentMp3(700)],
    [
      "a WAV that states few samples a second",
      () => wavOf(risingTone(), 45, { header: { 24: [0xe8, 3, 0, 0] } }),
    ],
  ])("is longer than allowed: %s", async (_, file) => {
    expect(await decode(file())).toBeNull();
  });

  it("random bytes of any beginning neither end the thread nor take its time", async () => {
    const random = (seed: number) =>
      Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * at * seed + (at >> 3)) & 255));
    for (const start of [wav.subarray(0, 44), risingToneMp3().subarray(0, 500)])
      for (const seed of [3, 7, 11]) {
        const file = Buffer.concat([start, random(seed)]);
        await decode(file).catch((thrown: unknown) =>
          expect(thrown).toMatchObject({ kind: "invalid_value" }),
        );
      }
    expect(await samplesOf(wav)).toHaveLength(sampleRate / 2);
  });
});
