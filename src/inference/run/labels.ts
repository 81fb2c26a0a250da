/** What a run is counted for besides its key and team, and what is stored of that. */
import type { SecretFilter } from "../../accounts/credentials/secret.js";
import {
  endUserCharsMax,
  noLabels,
  tagCharsMax,
  type SpendLabels,
} from "../../accounts/principals/spend-labels.js";
import { readEndUser, type RequestLabels } from "../../core/requests/labels.js";
import type { RunContext } from "./run-context.js";

interface LabelledRequest {
  readonly labels?: RequestLabels;
  readonly ephemeral?: boolean;
}

/**
 * Returns the context of a run with its tags and its end user, from the header and from the request. For an ephemeral request
 * the metadata is left out. Keys that a client has put into a label are masked.
 */
export function withLabels(
  context: RunContext,
  { labels = {}, ephemeral = false }: LabelledRequest,
  withoutSecrets: SecretFilter,
): RunContext {
  const { principal } = context;
  const { tags } = principal.labels ?? noLabels;
  const endUser = readEndUser(labels);
  const pairs = ephemeral ? [] : Object.entries(labels.metadata ?? {});
  const spend: SpendLabels = {
    tags: tags.map(withoutSecrets),
    metadata: pairs
      .map(([name, value]) => withoutSecrets(`${name}:${value}`))
      .filter((tag) => tag.length <= tagCharsMax),
    endUser: endUser === null ? null : withoutSecrets(endUser).slice(0, endUserCharsMax),
  };
  const isCounted = spend.endUser !== null || spend.tags.length + spend.metadata.length > 0;
  return isCounted ? { ...context, principal: { ...principal, labels: spend } } : context;
}

/** Returns the JSON text that is stored with a run; null for an ephemeral request, and for one that says nothing of itself. */
export function labelsText(
  { labels, ephemeral }: LabelledRequest,
  withoutSecrets: SecretFilter,
): string | null {
  return labels === undefined || ephemeral === true ? null : withoutSecrets(JSON.stringify(labels));
}
