import { keepReport } from "./report.js";
import type { Scene } from "../scene.js";

/** What a server that has ended had in flight is taken over within this time. */
export const takenOverMsMax = 15_000;

/** @returns the time; null, with lines in the records, where it was not within `takenOverMsMax` */
export async function watchTakeOver(scene: Scene, node: number, name: string): Promise<number | null> {
  const { ms, left } = await scene.observer.takenOver(node, takenOverMsMax);
  if (ms !== null) return ms;
  scene.records.broken.push(
    `not all of ${name} was taken over within ${takenOverMsMax / 1000} s: ${left} left`,
  );
  await keepReport(scene, "not-taken-over");
  return null;
}
