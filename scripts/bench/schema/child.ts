/** The judging process: one job after the other, telling at what it is, so that the process that asks can see it die or hang. */
import { judgeSchema, judgeSuite } from "./judge.js";
import { startMatcher } from "./matcher.js";
import type { Job, Message } from "./verdict.js";

const matcher = await startMatcher();
let lastStage = "";
const tell = (message: Message): void => void process.send?.(message);
const alive = (stage: string): void => {
  if (stage !== lastStage) tell({ type: "alive", stage });
  lastStage = stage;
};

process.on("message", (job: Job) => {
  const judged =
    job.kind === "schema"
      ? judgeSchema(job.path, matcher, alive)
      : judgeSuite(job.path, job.draft, matcher, alive);
  void judged.then((answer) => tell({ type: "done", answer }));
});
process.once("disconnect", () => process.exit());
tell({ type: "alive", stage: "ready" });
