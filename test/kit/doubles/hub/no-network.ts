import { HearthError } from "../../../../src/core/errors.js";
import { readHubSettings } from "../../../../src/models/hub/settings.js";
import { findReference } from "../../../../src/models/hub/plan.js";
import type { Puller } from "../../../../src/models/hub/puller.js";

/** Opens a puller that reads what is named, and reaches no hub. */
export function noNetwork(): Promise<Puller> {
  const { endpoint } = readHubSettings({}, "/nowhere");
  return Promise.resolve({
    check: (what) => void findReference(what, endpoint),
    pull: () => Promise.reject(new HearthError("model_unavailable", "There is no network in the tests.")),
  });
}
