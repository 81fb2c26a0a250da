/**
 * Reads the structure of an ONNX file, which is a protocol buffer, without its weights: that every field lies within its
 * message, and which other files its tensors refer to. A length in the file is only a claim: it is compared with the remaining bytes.
 */
import { GgufRefusal, grouped } from "../gguf/refusal.js";
import type { Source } from "../gguf/source.js";

/** The part of another file that tensors refer to. */
export interface ExternalFile {
  /** As the file states it. */
  readonly location: string;
  /** The end of the last tensor in it, in bytes. */
  readonly end: number;
}

type Kind =
  "model" | "graph" | "node" | "attribute" | "sparse" | "function" | "training" | "tensor" | "entry" | "leaf";

/** The messages in which tensors can be, by the numbers of their fields. */
const children: Readonly<Record<Kind, Readonly<Record<number, Kind>>>> = {
  model: { 7: "graph", 20: "training", 25: "function" },
  graph: { 1: "node", 5: "tensor", 15: "sparse" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse" },
  sparse: { 1: "tensor", 2: "tensor" },
  function: { 7: "node", 11: "attribute" },
  training: { 1: "graph", 2: "graph" },
  tensor: { 13: "entry" },
  entry: { 1: "leaf", 2: "leaf" },
  leaf: {},
};
/** Numbers of fields. */
const requiredFields = { irVersion: 1, graph: 7, operatorSets: 8 } as const;
const entryKey = 1;

/** A message of at most this size is read at once. */
const messageBytesMax = 64 * 1024;
const fieldsMax = 5_000_000;
const depthMax = 64;
const varintBytesMax = 10;
/** The longest text of an entry, which is the name of a file or a number. */
const textBytesMax = 4096;

/** A field that a message contains: a message of a known kind, or other bytes. */
interface Field {
  readonly number: number;
  readonly wireType: number;
  /** The hash of its content. */
  readonly bytes: number;
}

/**
 * Reads the structure of a whole file.
 * @returns the files that its tensors refer to. @throws GgufRefusal with the reason, as a clause.
 */
export async function scanOnnx(source: Source): Promise<readonly ExternalFile[]> {
  const scan = new Scan();
  await scan.stream("model", source, source.bytes, 0);
  if (!scan.isModel) throw new GgufRefusal("it is not an ONNX model.");
  return scan.files();
}

class Scan {
  readonly #ends = new Map<string, number>();
  readonly #fields = new Set<number>();
  /** The entries of the current tensor: all of them, because readers differ in which of two equal keys they take. */
  #entries: (readonly [key: string, value: string])[] = [];
  #entry = { key: "", value: "" };
  #count = 0;

  /** Whether the file has the fields that every model has. */
  get isModel(): boolean {
    return Object.values(requiredFields).every((number) => this.#fields.has(number));
  }

  files(): readonly ExternalFile[] {
    return [...this.#ends].map(([location, end]) => ({ location, end }));
  }

  /** Reads a message that ends at `end` of the file. */
  async stream(kind: Kind, source: Source, end: number, depth: number): Promise<void> {
    this.#begin(kind, depth);
    while (source.position < end) {
      await source.fill(Math.min(2 * varintBytesMax, source.remaining));
      const field = this.#field(() => source.u8(), end - source.position);
      if (source.position + field.bytes > end) throw damaged();
      if (kind === "model") this.#fields.add(field.number);
      const child = findChild(kind, field);
      if (child === null) source.skip(field.bytes);
      else if (child === "leaf" && field.bytes > textBytesMax) throw damaged();
      else if (field.bytes > messageBytesMax)
        await this.stream(child, source, source.position + field.bytes, depth + 1);
      else {
        await source.fill(field.bytes);
        this.#read(child, field.number, source.view(field.bytes), depth + 1);
      }
    }
    this.#finish(kind);
  }

  /** Reads a whole message. @param number the number of its field. */
  #read(kind: Kind, number: number, message: Uint8Array, depth: number): void {
    if (kind === "leaf") return this.#text(number, message);
    this.#begin(kind, depth);
    let at = 0;
    const byte = (): number => message[at++] ?? 0;
    while (at < message.length) {
      const field = this.#field(byte, message.length - at);
      const end = at + field.bytes;
      if (end > message.length) throw damaged();
      const child = findChild(kind, field);
      if (child !== null) this.#read(child, field.number, message.subarray(at, end), depth + 1);
      at = end;
    }
    this.#finish(kind);
  }

  #begin(kind: Kind, depth: number): void {
    if (depth > depthMax) throw new GgufRefusal("its graphs are nested too deeply.");
    if (kind === "tensor") this.#entries = [];
    if (kind === "entry") this.#entry = { key: "", value: "" };
  }

  #text(number: number, bytes: Uint8Array): void {
    if (bytes.length > textBytesMax) throw damaged();
    const text = Buffer.from(bytes).toString("utf8");
    this.#entry[number === entryKey ? "key" : "value"] = text;
  }

  #finish(kind: Kind): void {
    if (kind === "entry") this.#entries.push([this.#entry.key, this.#entry.value]);
    if (kind !== "tensor") return;
    const readValues = (key: string): readonly string[] =>
      this.#entries.flatMap(([each, value]) => (each === key ? [value] : []));
    const end = parseSize(readValues("offset").at(-1)) + parseSize(readValues("length").at(-1));
    for (const location of readValues("location"))
      this.#ends.set(location, Math.max(end, this.#ends.get(location) ?? 0));
  }

  /** Reads the head of a field. @param left bytes of its message. */
  #field(byte: () => number, left: number): Field {
    if (++this.#count > fieldsMax) throw new GgufRefusal(`it has more than ${grouped(fieldsMax)} fields.`);
    const read = { bytes: 0 };
    const varint = (): number => {
      let value = 0;
      for (let at = 0; at < varintBytesMax; at += 1) {
        if (++read.bytes > left) throw damaged();
        const part = byte();
        value += (part & 0x7f) * 2 ** (7 * at);
        if (part < 0x80) return value;
      }
      throw damaged();
    };
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (number < 1 || number > 0x1fffffff) throw damaged();
    switch (wireType) {
      case 0:
        varint();
        return { number, wireType, bytes: 0 };
      case 1:
        return { number, wireType, bytes: 8 };
      case 2:
        return { number, wireType, bytes: varint() };
      case 5:
        return { number, wireType, bytes: 4 };
      default:
        throw damaged();
    }
  }
}

function findChild(kind: Kind, { number, wireType }: Field): Kind | null {
  return wireType === 2 ? (children[kind][number] ?? null) : null;
}

/** Returns the number of bytes that an entry states; an absent one is 0. */
function parseSize(text: string | undefined): number {
  const size = Number(text ?? 0);
  if (!Number.isSafeInteger(size) || size < 0) throw damaged();
  return size;
}

function damaged(): GgufRefusal {
  return new GgufRefusal("it is truncated, damaged, or not an ONNX model.");
}
