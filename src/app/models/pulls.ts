/** The part of the composition root that builds the puller of models. */
import { homedir } from "node:os";
import type { Config } from "../../config/config.js";
import type { Puller } from "../../models/hub/puller.js";
import { systemClock, systemRandom } from "../../system/clock.js";

/**
 * Returns a puller into the configured folder of models.
 * @param environment the process's environment: HF_ENDPOINT, HF_TOKEN and proxies.
 * @param mayUrlBeNear whether a URL may lead to this machine or its network: where the operator names what is pulled
 */
export async function openPuller(
  { models }: Config,
  environment: NodeJS.ProcessEnv,
  mayUrlBeNear: boolean,
): Promise<Puller> {
  const { createPuller } = await import("../../models/hub/puller.js");
  const { readHubSettings } = await import("../../models/hub/settings.js");
  const { visionFamilies } = await import("../../engine/vision/families.js");
  return createPuller({
    clock: systemClock,
    newId: () => systemRandom.id(),
    settings: readHubSettings(environment, homedir()),
    models,
    mayUrlBeNear,
    visionFamilies,
  });
}
