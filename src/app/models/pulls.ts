/** The part of the composition root that builds the puller of models, for the command that needs no server. */
import { homedir } from "node:os";
import type { AuditEntry } from "../../accounts/audit/audited-change.js";
import type { Config } from "../../config/config.js";
import type { Puller, PullResult } from "../../models/hub/puller.js";
import type { SizeReport } from "../../doctor/model-fit.js";
import { systemClock, systemRandom } from "../../system/clock.js";

export type { SizeReport } from "../../doctor/model-fit.js";
export type { PullProgress } from "../../models/hub/progress.js";
export type { Puller, PullResult } from "../../models/hub/puller.js";

/** Judges whether models of a size fit into memory. @param bytes of the files of a model that is not here yet */
export async function reportFit(config: Config, bytes: number): Promise<SizeReport> {
  const { judgeBytes } = await import("../../doctor/model-fit.js");
  return judgeBytes(config, bytes);
}

/**
 * Returns a puller into the configured folder of models. The operator names what it pulls: a URL may lead to this machine or its network.
 * @param environment the process's environment: HF_ENDPOINT, HF_TOKEN and proxies.
 */
export async function openPuller(config: Config, environment: NodeJS.ProcessEnv): Promise<Puller> {
  const puller = await open(config, environment, true);
  return {
    check: (what) => puller.check(what),
    async pull(what, options) {
      const result = await puller.pull(what, options);
      const { recordEntries } = await import("../operator-audit.js");
      await recordEntries(config, [toEntry(what, result)]);
      return result;
    },
  };
}

function toEntry(what: string, { id }: PullResult): AuditEntry {
  const description = `Pulled '${what}' as the model '${id}'`;
  return { action: "PullModel", objectId: id, teamId: null, description, before: null, after: { what } };
}

/** The same for the management API: a URL leads to public addresses only. */
export function openServerPuller(config: Config, environment: NodeJS.ProcessEnv): Promise<Puller> {
  return open(config, environment, false);
}

async function open(
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
