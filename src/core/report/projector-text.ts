import type { ProjectorFile } from "../model.js";

/** Returns what a projector reads for its model. */
export function projectorText({
  path,
  images,
  audio,
}: Omit<ProjectorFile, "bytes" | "modifiedTime">): string {
  const read = [images ? "images" : "", audio ? "sound" : ""].filter((each) => each !== "");
  return `reads ${read.length === 0 ? "nothing" : read.join(" and ")} by ${path.split(/[/\\]/).at(-1) ?? ""}`;
}
