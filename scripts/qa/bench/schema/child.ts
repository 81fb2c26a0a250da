/**
 * The evaluation process. It runs one job after the other and reports its current stage, so that the parent
 * process notices a crash or a hang.
 */
import { evaluateSchema, evaluateSuite } from "./evaluate.js";
import { startMatcher } from "./matcher.js";
import type { Job, ChildMessage } from "./verdict.js";

const matcher = await startMatcher();
let lastStage = "";
const report = (message: ChildMessage): void => void process.send?.(message);
const alive = (stage: string): void => {
  if (stage !== lastStage) report({ type: "alive", stage });
  lastStage = stage;
};

process.on("message", (job: Job) => {
  const evaluated =
    job.kind === "schema"
      ? evaluateSchema(job.path, matcher, alive)
      : evaluateSuite(job.path, job.draft, matcher, alive);
  void evaluated.then((answer) => report({ type: "done", answer }));
});
process.once("disconnect", () => process.exit());
report({ type: "alive", stage: "ready" });
