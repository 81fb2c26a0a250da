import { keepReport } from "./report.js";
import type { ChaosScene } from "../scene.js";

/** What a server that has ended had in flight is taken over within this time. */
export const takenOverMsMax = 15_000;

/** @returns the time; null, with lines in the records, where it was not within `takenOverMsMax` */
export async function watchTakeOver(scene: ChaosScene, node: number, name: string): Promise<number | null> {
  const { ms, left } = await scene.observer.takenOver(node, takenOverMsMax);
  if (ms !== null) return ms;
  const detail = `${left} of ${name} left after ${takenOverMsMax / 1000} s`;
  scene.records.judge(false, "what a server had in flight is taken over", () => detail);
  await keepReport(scene, "not-taken-over");
  return null;
}
