/** The targets by name, each with its module from the root of the repository, and the inputs that `npm test` runs of it. */

export interface ListedTarget {
  readonly module: string;
  /** Inputs of the run in `npm test`: about two seconds of CPU time. */
  readonly testInputs: number;
}

export const targets: Readonly<Record<string, ListedTarget>> = {
  gguf: { module: "scripts/qa/fuzz/targets/gguf.ts", testInputs: 1_500 },
  template: { module: "scripts/qa/fuzz/targets/template.ts", testInputs: 1_000 },
  json: { module: "scripts/qa/fuzz/targets/json.ts", testInputs: 500 },
  chat: { module: "scripts/qa/fuzz/targets/bodies/chat.ts", testInputs: 1_500 },
  completions: { module: "scripts/qa/fuzz/targets/bodies/completions.ts", testInputs: 1_500 },
  responses: { module: "scripts/qa/fuzz/targets/bodies/responses.ts", testInputs: 1_500 },
  messages: { module: "scripts/qa/fuzz/targets/bodies/messages.ts", testInputs: 1_500 },
  complete: { module: "scripts/qa/fuzz/targets/bodies/complete.ts", testInputs: 1_000 },
  "ollama-chat": { module: "scripts/qa/fuzz/targets/bodies/ollama-chat.ts", testInputs: 1_000 },
  "ollama-generate": { module: "scripts/qa/fuzz/targets/bodies/ollama-generate.ts", testInputs: 500 },
  images: { module: "scripts/qa/fuzz/targets/bodies/images.ts", testInputs: 1_000 },
  calls: { module: "scripts/qa/fuzz/targets/calls.ts", testInputs: 500 },
  schema: { module: "scripts/qa/fuzz/targets/schema.ts", testInputs: 400 },
  grammar: { module: "scripts/qa/fuzz/targets/grammar.ts", testInputs: 300 },
  sampling: { module: "scripts/qa/fuzz/targets/sampling.ts", testInputs: 60 },
  image: { module: "scripts/qa/fuzz/targets/image.ts", testInputs: 200 },
  events: { module: "scripts/qa/fuzz/targets/events.ts", testInputs: 300 },
  "engine-streams": { module: "scripts/qa/fuzz/targets/engines/streams.ts", testInputs: 100 },
  "engine-answers": { module: "scripts/qa/fuzz/targets/engines/answers.ts", testInputs: 60 },
  upload: { module: "scripts/qa/fuzz/targets/upload.ts", testInputs: 500 },
  "batch-lines": { module: "scripts/qa/fuzz/targets/batch-lines.ts", testInputs: 1_000 },
  pdf: { module: "scripts/qa/fuzz/targets/pdf.ts", testInputs: 150 },
  sound: { module: "scripts/qa/fuzz/targets/sound.ts", testInputs: 150 },
  backup: { module: "scripts/qa/fuzz/targets/backup.ts", testInputs: 300 },
};
