/** Decodes `ExportTraceServiceRequest` of opentelemetry-proto: only the fields that tests look at. */
import type { AttributeValue, ReceivedSpan } from "./span.js";

interface Field {
  readonly number: number;
  /** The value of a varint or a fixed 64-bit number; 0n for others. */
  readonly integer: bigint;
  /** The value of a fixed 64-bit number as a double; 0 for others. */
  readonly double: number;
  /** The bytes of a text, bytes or a message; empty for others. */
  readonly bytes: Buffer;
}

export function decodeTraces(body: Buffer): readonly ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).flatMap((each) => messages(each, 1));
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => decodeSpan(span, attributesOf(resource))),
    );
  });
}

function decodeSpan(span: Buffer, resource: ReceivedSpan["resource"]): ReceivedSpan {
  const fields = [...fieldsOf(span)];
  const one = (number: number): Field | undefined => fields.find((field) => field.number === number);
  const status = one(15);
  return {
    traceId: one(1)?.bytes.toString("hex") ?? "",
    spanId: one(2)?.bytes.toString("hex") ?? "",
    traceState: one(3)?.bytes.toString("utf8") ?? "",
    parentSpanId: one(4)?.bytes.toString("hex") ?? "",
    name: one(5)?.bytes.toString("utf8") ?? "",
    kind: Number(one(6)?.integer ?? 0n),
    attributes: attributesOf(messages(span, 9)),
    statusCode: status === undefined ? 0 : Number(varint(status.bytes, 3) ?? 0n),
    resource,
  };
}

function attributesOf(pairs: readonly Buffer[]): Record<string, AttributeValue> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = Buffer.alloc(0)] = messages(pair, 1);
      const [value = Buffer.alloc(0)] = messages(pair, 2);
      return [key.toString("utf8"), decodeValue(value)];
    }),
  );
}

function decodeValue(value: Buffer): AttributeValue {
  const [field] = fieldsOf(value);
  switch (field?.number) {
    case 1:
      return field.bytes.toString("utf8");
    case 2:
      return field.integer === 1n;
    case 3:
      return Number(field.integer);
    case 4:
      return field.double;
    case 5:
      return messages(field.bytes, 1).map(decodeValue);
    default:
      throw new Error(`a value with the field ${field?.number} is not decoded`);
  }
}

function messages(message: Buffer, number: number): readonly Buffer[] {
  return [...fieldsOf(message)].filter((field) => field.number === number).map(({ bytes }) => bytes);
}

function varint(message: Buffer, number: number): bigint | undefined {
  return [...fieldsOf(message)].find((field) => field.number === number)?.integer;
}

function* fieldsOf(message: Buffer): Generator<Field, void, undefined> {
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(readVarint());
    const [number, wireType] = [tag >> 3, tag & 7];
    const empty = { number, integer: 0n, double: 0, bytes: Buffer.alloc(0) };
    if (wireType === 0) yield { ...empty, integer: readVarint() };
    else if (wireType === 1) {
      yield { ...empty, integer: message.readBigUInt64LE(at), double: message.readDoubleLE(at) };
      at += 8;
    } else if (wireType === 2) {
      const length = Number(readVarint());
      yield { ...empty, bytes: message.subarray(at, at + length) };
      at += length;
    } else if (wireType === 5) at += 4;
    else throw new Error(`the wire type ${wireType} is not decoded`);
  }
}
