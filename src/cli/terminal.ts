/**
 * What commands write. Names, answers, errors and log lines come from models, servers and other people: a terminal would obey the control
 * characters in them, which rename its window, write to the clipboard, hide lines or answer for the person.
 */
import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";

/**
 * Control characters but tab and the ends of lines, separators of lines and paragraphs, and characters that change the direction of text.
 * One by one: no sequence passes, wherever it is cut.
 */
const unprintable = /\r(?!\n)|(?![\t\n\r])\p{Cc}|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Returns a text as a terminal may have it: what it would obey is replaced by U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, "\ufffd");
}

/** Where a command writes text. */
export interface TextOut {
  write(text: string): unknown;
  /** Writes a sequence of the program's own for the terminal; absent: `write` takes it. */
  control?(sequence: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Returns an output whose text is printable, on a terminal and elsewhere: files and pipes end at terminals. */
export function printTo(stream: TextOut): TextOut {
  return {
    write: (text) => stream.write(printable(text)),
    control: (sequence) => stream.write(sequence),
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? 80;
    },
  };
}

/** Returns an output for what has to be exact where it is not shown, such as answers and exports: printable on a terminal only. */
export function exactOn<Stream extends TextOut>(stream: Stream): Stream | TextOut {
  return stream.isTTY === true ? printTo(stream) : stream;
}

/** Writes a line over the current one of a terminal. */
export function rewriteLine(out: TextOut, line: string): void {
  const begin = "\r\u001b[K";
  if (out.control === undefined) return void out.write(begin + line);
  out.control(begin);
  out.write(line);
}

/** Returns a stream that makes bytes of UTF-8 printable. */
export function printableBytes(): Transform {
  const decoder = new StringDecoder("utf8");
  return new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, printable(decoder.write(chunk)));
    },
    flush(done) {
      done(null, printable(decoder.end()));
    },
  });
}
