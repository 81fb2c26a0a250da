/** A request as a program that sends it, for copying. The key is in the variable OPENAI_API_KEY. Pure. */
import type { PlaygroundRequest } from "../request.js";

export type CodeLanguage = "curl" | "python" | "typescript";

/** Longest text of a command's argument: Linux refuses 128 KiB and more. */
const argumentCharsMax = 30_000;

/** Returns the code. @param origin of the server, without a path */
export function writeCode(language: CodeLanguage, origin: string, request: PlaygroundRequest): string {
  return writers[language](origin, request);
}

const writers: Readonly<Record<CodeLanguage, (origin: string, request: PlaygroundRequest) => string>> = {
  curl: curlCode,
  python: pythonCode,
  typescript: typescriptCode,
};

/** Returns a text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a JSON value as a literal of Python. Strings of JSON are strings of Python, too. */
export function pythonLiteral(value: unknown, indent = ""): string {
  const inner = `${indent}    `;
  if (value == null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value))
    return wrapped(
      "[",
      "]",
      value.map((item: unknown) => inner + pythonLiteral(item, inner)),
      indent,
    );
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value);
  const lines = entries.map(
    ([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`,
  );
  return wrapped("{", "}", lines, indent);
}

function curlCode(origin: string, request: PlaygroundRequest): string {
  const body = JSON.stringify({ ...request, stream: true }, null, 2);
  const head = [
    `curl -N ${shellQuoted(`${origin}/v1/chat/completions`)}`,
    '-H "Authorization: Bearer $OPENAI_API_KEY"',
    "-H 'Content-Type: application/json'",
  ];
  // No line of JSON is the mark of the end: texts have no line breaks in them.
  if (body.length > argumentCharsMax) return `${lines([...head, "-d @- <<'JSON'"])}\n${body}\nJSON\n`;
  return `${lines([...head, `-d ${shellQuoted(body)}`])}\n`;
}

function pythonCode(origin: string, request: PlaygroundRequest): string {
  const { isStreamed, fields } = withStream(request);
  const values = Object.entries(fields).map(
    ([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},`,
  );
  const output = isStreamed
    ? `for chunk in answer:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
`
    : "print(answer.choices[0].message.to_json())\n";
  return `import os

from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(`${origin}/v1`)}, api_key=os.environ["OPENAI_API_KEY"])
answer = client.chat.completions.create(
${values.join("\n")}
)
${output}`;
}

function typescriptCode(origin: string, request: PlaygroundRequest): string {
  const { isStreamed, fields } = withStream(request);
  const output = isStreamed
    ? `for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta.content ?? "");\n`
    : "console.log(answer.choices[0]?.message);\n";
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${JSON.stringify(`${origin}/v1`)}, apiKey: process.env.OPENAI_API_KEY });
const answer = await client.chat.completions.create(${JSON.stringify(fields, null, 2)});
${output}`;
}

/** A program that has tools wants the calls as a whole. */
function withStream(request: PlaygroundRequest): {
  readonly isStreamed: boolean;
  readonly fields: PlaygroundRequest;
} {
  const isStreamed = request["tools"] === undefined;
  return { isStreamed, fields: isStreamed ? { ...request, stream: true } : request };
}

function lines(words: readonly string[]): string {
  return words.join(" \\\n  ");
}

function wrapped(open: string, close: string, items: readonly string[], indent: string): string {
  return items.length === 0 ? open + close : `${open}\n${items.join(",\n")},\n${indent}${close}`;
}
