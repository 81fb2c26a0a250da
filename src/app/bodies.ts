/** The part of the composition root that builds what keeps requests and answers. */
import { createSecretFilter } from "../accounts/credentials/secret.js";
import type { Config } from "../config/config.js";
import { createRedaction } from "../inference/bodies/redaction.js";
import { createRequestBodies, type RequestBodies } from "../inference/bodies/request-bodies.js";
import type { SystemDeps } from "./system-deps.js";
import { listPinnedKeys } from "./http-settings.js";
import type { Stores } from "./stores/stores.js";

/** Builds what keeps them; keys of this server never are. */
export function buildRequestBodies(
  config: Config,
  { bodyStore, clock, logger }: SystemDeps & Stores,
): RequestBodies {
  return createRequestBodies({
    bodies: bodyStore,
    clock,
    limits: config,
    redact: createRedaction(config.requestBodiesRedact, createSecretFilter(listPinnedKeys(config))),
    onError: (err) => logger.error({ err }, "what a request and its answer have could not be kept"),
  });
}
