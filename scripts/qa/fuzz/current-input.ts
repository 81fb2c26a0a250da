/**
 * The file in which a process that fuzzes notes each input before it runs it, so that the input is known when it ends the process or
 * does not end. It begins with two numbers of 32 bits: which input it is, and its length.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

const headBytes = 8;

export interface CurrentInput {
  readonly nth: number;
  readonly input: Uint8Array;
}

export interface InputNotes {
  readonly note: (input: Uint8Array) => void;
  readonly close: () => void;
}

export function openNotes(path: string): InputNotes {
  const file = openSync(path, "w");
  let nth = 0;
  return {
    note(input) {
      nth += 1;
      const head = Buffer.alloc(headBytes);
      head.writeUInt32LE(nth, 0);
      head.writeUInt32LE(input.length, 4);
      writeSync(file, Buffer.concat([head, input]), 0, headBytes + input.length, 0);
    },
    close: () => closeSync(file),
  };
}

/** Returns the input that runs or ran last; null when there was none. */
export function readNotes(path: string): CurrentInput | null {
  const bytes = readFileSync(path);
  if (bytes.length < headBytes) return null;
  const length = bytes.readUInt32LE(4);
  return { nth: bytes.readUInt32LE(0), input: bytes.subarray(headBytes, headBytes + length) };
}
