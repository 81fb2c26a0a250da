/**
 * Restricts what code of this thread can do, before the PDF library is loaded: it compiles no text, connects to nothing, and allocates a
 * limited number of bytes outside of the JavaScript heap, which `resourceLimits` does not count. A small compressed stream could
 * otherwise fill the memory of the machine.
 */

/** Bytes of all typed arrays of the thread. */
const bytesMax = 128 * 1024 * 1024;
/** Arrays below this size are not counted when they are made, because counting takes longer than making them. */
const countedBytesMin = 256 * 1024;

/** Globals that the library uses only to fetch, to compile, and to decompress in threads of Node's, which this file cannot limit. */
const removed = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebAssembly", "DecompressionStream"];

/** Enters the sandbox, for good. */
export function enterSandbox() {
  let isExceeded = false;
  const limit = (bytes: number): void => {
    if (bytes < countedBytesMin || bytes + process.memoryUsage().arrayBuffers <= bytesMax) return;
    isExceeded = true;
    throw new RangeError("too many bytes");
  };
  // Promises of the library that nothing waits for: those that are waited for reject as well, or the time limit ends them.
  process.on("unhandledRejection", () => undefined);
  for (const name of removed) Reflect.deleteProperty(globalThis, name);
  globalThis.Function = new Proxy(Function, { construct: refuse, apply: refuse });
  Reflect.set(globalThis, "eval", refuse);
  globalThis.ArrayBuffer = limited(ArrayBuffer, 1, limit);
  globalThis.Uint8Array = limited(Uint8Array, 1, limit);
  globalThis.Uint8ClampedArray = limited(Uint8ClampedArray, 1, limit);
  globalThis.Uint16Array = limited(Uint16Array, 2, limit);
  globalThis.Uint32Array = limited(Uint32Array, 4, limit);
  globalThis.Int32Array = limited(Int32Array, 4, limit);
  globalThis.Float32Array = limited(Float32Array, 4, limit);
  globalThis.Float64Array = limited(Float64Array, 8, limit);
  return {
    /** Returns whether an allocation has been refused since the last call. */
    takeExceeded(): boolean {
      const was = isExceeded;
      isExceeded = false;
      return was;
    },
  };
}

/** Returns a constructor that calls `limit` with the bytes that it is going to allocate. */
function limited<Constructor extends object>(
  constructor: Constructor,
  elementBytes: number,
  limit: (bytes: number) => void,
): Constructor {
  return new Proxy(constructor, {
    construct(target, args: readonly unknown[], newTarget: unknown) {
      limit(readLength(args[0]) * elementBytes);
      return Reflect.construct(target as never, args, newTarget as never);
    },
  });
}

/** Returns how many elements are allocated for a first argument: a view of a buffer allocates none. */
function readLength(argument: unknown): number {
  if (typeof argument === "number") return argument;
  return Array.isArray(argument) || ArrayBuffer.isView(argument) ? (argument as Uint8Array).length : 0;
}

function refuse(): never {
  throw new EvalError("text is not compiled here");
}
