/** Arguments of many shapes, by what is special about them. */

export type Arguments = Readonly<Record<string, unknown>>;

const deep = (depth: number): unknown => (depth === 0 ? "bottom" : { level: deep(depth - 1) });

export const argumentShapes: Readonly<Record<string, Arguments>> = {
  none: {},
  "one word": { a: "Paris" },
  "a sentence": { a: "What is the weather, today?" },
  "an empty text": { a: "" },
  "a space": { a: " " },
  "spaces around": { a: "  padded  " },
  quotes: { a: 'She said "yes".' },
  apostrophes: { a: "It's 5 o'clock" },
  backslashes: { a: "C:\\new\\table" },
  "a line's end": { a: "one\ntwo" },
  "empty lines": { a: "one\n\n\ntwo" },
  "lines' ends around": { a: "\none\n" },
  tabs: { a: "a\tb" },
  "a return": { a: "a\r\nb" },
  accents: { a: "Zürich, São Paulo" },
  Chinese: { a: "天气怎么样" },
  Arabic: { a: "الطقس" },
  emoji: { a: "🙂👩‍👩‍👧" },
  "a control character": { a: "a\u0001b" },
  markup: { a: "<b>bold</b> & <br/>" },
  code: { a: "def f(x):\n    return {'k': [x, \"y\"]}\n" },
  braces: { a: "{not json} [nor this]" },
  "a text of JSON": { a: '{"k": [1, 2]}' },
  "a number as a text": { a: "12345" },
  "true as a text": { a: "true" },
  "null as a text": { a: "null" },
  "a number": { a: 42 },
  "a negative number": { a: -7 },
  zero: { a: 0 },
  "a fraction": { a: 0.125 },
  true: { a: true },
  false: { a: false },
  null: { a: null },
  "an empty list": { a: [] },
  "a list of texts": { a: ["x", "y, z", 'say "w"'] },
  "a list of all types": { a: [1, "x", true, null, [2], { k: "v" }] },
  "an empty object": { a: {} },
  "objects in objects": { a: deep(8) },
  "many members": Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`key_${at}`, at % 2 === 0 ? at : `v${at}`]),
  ),
  "10 kB": {
    a: "0123456789 lorem ipsum dolor\n".repeat(350),
    b: { list: Array.from({ length: 100 }, (_, at) => at) },
  },
};
