import type { Chance } from "../../figures/chance.js";

/** What a changed input may take parts from. */
export interface Material {
  readonly chance: Chance;
  /** Another input of the corpus. */
  readonly other: Uint8Array;
  readonly words: readonly string[];
}

const odd = [0, 1, 2, 0x1f, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xed, 0xf4, 0xff];
const oddIntegers = [
  0n,
  1n,
  2n,
  0x7fn,
  0xffn,
  0xffffn,
  0x7fff_ffffn,
  0xffff_ffffn,
  1n << 53n,
  1n << 63n,
  ~0n,
];
const lengthMax = 64;

type Change = (input: Buffer, material: Material) => Buffer;

const changes: readonly Change[] = [
  flipBit,
  setByte,
  setOddByte,
  addToInteger,
  setInteger,
  remove,
  repeat,
  insert,
];
const withWords: readonly Change[] = [...changes, insertWord, overwriteWithWord, splice];

/** Returns the input with one random change of its bytes. */
export function changeBytes(input: Uint8Array, material: Material): Uint8Array {
  const from = Buffer.from(input);
  if (from.length === 0) return insert(from, material);
  const usable = material.words.length > 0 ? withWords : changes;
  return material.chance.pick(usable)(from, material);
}

function flipBit(input: Buffer, { chance }: Material): Buffer {
  const at = place(input, chance);
  input[at] = input.readUInt8(at) ^ (1 << chance.between(0, 7));
  return input;
}

function setByte(input: Buffer, { chance }: Material): Buffer {
  input[place(input, chance)] = chance.between(0, 255);
  return input;
}

function setOddByte(input: Buffer, { chance }: Material): Buffer {
  input[place(input, chance)] = chance.pick(odd);
  return input;
}

/** Adds up to 35 to an integer of 1 to 8 bytes, or subtracts it. */
function addToInteger(input: Buffer, { chance }: Material): Buffer {
  const { at, size } = integerPlace(input, chance);
  const delta = BigInt(chance.between(-35, 35));
  return writeInteger(input, at, size, readInteger(input, at, size) + delta);
}

function setInteger(input: Buffer, { chance }: Material): Buffer {
  const { at, size } = integerPlace(input, chance);
  return writeInteger(input, at, size, chance.pick([...oddIntegers, BigInt(input.length)]));
}

function remove(input: Buffer, { chance }: Material): Buffer {
  const [start, end] = range(input, chance);
  return Buffer.concat([input.subarray(0, start), input.subarray(end)]);
}

function repeat(input: Buffer, { chance }: Material): Buffer {
  const [start, end] = range(input, chance);
  const to = place(input, chance);
  return inserted(input, to, input.subarray(start, end));
}

function insert(input: Buffer, { chance }: Material): Buffer {
  const bytes = Buffer.from(Array.from({ length: chance.between(1, 8) }, () => chance.between(0, 255)));
  return inserted(input, chance.between(0, input.length), bytes);
}

function insertWord(input: Buffer, { chance, words }: Material): Buffer {
  return inserted(input, chance.between(0, input.length), Buffer.from(chance.pick(words)));
}

function overwriteWithWord(input: Buffer, { chance, words }: Material): Buffer {
  input.write(chance.pick(words), place(input, chance));
  return input;
}

/** Puts a part of another input into this one, over what is there or between. */
function splice(input: Buffer, { chance, other }: Material): Buffer {
  if (other.length === 0) return input;
  const [start, end] = range(other, chance);
  const part = Buffer.from(other.subarray(start, end));
  const at = place(input, chance);
  if (chance.happens(0.5)) return inserted(input, at, part);
  part.copy(input, at);
  return input;
}

function place(input: Uint8Array, chance: Chance): number {
  return chance.between(0, input.length - 1);
}

/** Returns a part of an input: often short, at times up to its end. */
function range(input: Uint8Array, chance: Chance): readonly [start: number, end: number] {
  const start = place(input, chance);
  const most = chance.happens(0.2) ? input.length - start : Math.min(lengthMax, input.length - start);
  return [start, start + chance.between(1, most)];
}

function inserted(input: Buffer, at: number, part: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, at), part, input.subarray(at)]);
}

function integerPlace(input: Buffer, chance: Chance): { readonly at: number; readonly size: number } {
  const sizes = [1, 2, 4, 8].filter((size) => size <= input.length);
  const size = chance.pick(sizes);
  return { at: chance.between(0, input.length - size), size };
}

function readInteger(input: Buffer, at: number, size: number): bigint {
  let value = 0n;
  for (let nth = size - 1; nth >= 0; nth -= 1) value = (value << 8n) | BigInt(input.readUInt8(at + nth));
  return value;
}

function writeInteger(input: Buffer, at: number, size: number, value: bigint): Buffer {
  for (let nth = 0; nth < size; nth += 1) input[at + nth] = Number((value >> BigInt(8 * nth)) & 0xffn);
  return input;
}
