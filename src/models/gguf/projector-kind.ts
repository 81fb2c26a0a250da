import type { GgufMetadata } from "./metadata.js";

/** Returns whether the header is a projector's: a file that reads images or sound for a text model. */
export function isProjector({ values }: GgufMetadata): boolean {
  return values.get("general.type") === "mmproj" || values.get("general.architecture") === "clip";
}
