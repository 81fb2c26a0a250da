/** Which models run on engines outside of this process. Commands that only list models need no more of these engines. */
import type { Config } from "../../config/config.js";
import type { EngineSetting } from "../../config/engines.js";
import { readHost } from "../../engine/remote/errors.js";
import { notGuaranteedAtTextLevel } from "../../engine/remote/text/not-guaranteed.js";
import type { Placements } from "../../models/remote/placement.js";

/** Returns which models run on them, and their names there. */
export function listPlacements({ engines }: Config): Placements {
  return new Map(
    engines.flatMap((engine) =>
      engine.models.map(({ id, name, contextTokens }) => {
        const notGuaranteed = engine.kind === "openai" ? notGuaranteedAtTextLevel : [];
        return [
          id,
          { engine: describeEngine(engine), modelName: name, notGuaranteed, contextTokens },
        ] as const;
      }),
    ),
  );
}

/** Returns the name of an engine in messages. */
export function describeEngine({ kind, url }: EngineSetting): string {
  return `${kind} at ${url.map(readHost).join(", ")}`;
}
