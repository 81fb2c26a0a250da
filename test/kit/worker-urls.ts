/** The compiled worker threads; the sources of the server run from TypeScript in tests and scripts. */
export const workerUrls = {
  workerUrl: new URL("../../dist/engine/text/worker.js", import.meta.url),
  visionWorkerUrl: new URL("../../dist/engine/vision/worker.js", import.meta.url),
  schemaWorkerUrl: new URL("../../dist/engine/language/schemas/worker.js", import.meta.url),
  imagesWorkerUrl: new URL("../../dist/engine/images/worker.js", import.meta.url),
  audioWorkerUrl: new URL("../../dist/engine/audio/worker.js", import.meta.url),
  pdfWorkerUrl: new URL("../../dist/engine/pdf/worker.js", import.meta.url),
  reportsWorkerUrl: new URL("../../dist/store/sqlite/reports/worker.js", import.meta.url),
  tokenizerWorkerUrl: new URL("../../dist/engine/language/tokenize/worker.js", import.meta.url),
  /** A trial of each image and vision model would double the time of tests that use them. */
  onnxTrialUrl: null,
};
