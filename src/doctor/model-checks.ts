import { contextText } from "../core/report/context-text.js";
import { projectorText } from "../core/report/projector-text.js";
import type { DoctorCheck } from "../core/report/doctor.js";
import { sizeText } from "../core/report/size-text.js";
import type { Model } from "../core/model.js";
import { isFree } from "../core/money.js";
import type { TemplateReport } from "./template-report.js";

/**
 * Returns what is known of a model.
 * @param template what rendering its chat template shows; null where it was not rendered
 * @param isPriced whether teams are charged, so that a model without a price is worth a remark
 */
export function modelCheck(model: Model, template: TemplateReport | null, isPriced: boolean): DoctorCheck {
  const { id, contextTokens, bytes, kind, prices } = model.manifest;
  const { repairs = [], call = null, reasoning = null } = template ?? {};
  const parts = [sizeText(bytes), `${contextText(contextTokens, model.trainedTokens)} of context`];
  if (model.remote !== undefined) parts.push(`runs on ${model.remote.engine}`);
  if (model.load?.projector !== undefined) parts.push(projectorText(model.load.projector));
  if (model.projectorProblem !== undefined) parts.push(model.projectorProblem.replace(/\.$/, ""));
  if (call !== null) parts.push(`tool calls: ${oneLine(call)}`);
  if (reasoning !== null) parts.push(`reasoning: ${oneLine(reasoning)}`);
  const isUnpriced = isPriced && kind !== "vision" && isFree(prices);
  if (isUnpriced) parts.push("no price: `hearth prices set`");
  if (repairs.length > 0) parts.push(`strict chat template: ${repairs.join(", ")}`);
  return {
    name: `model ${id}`,
    ok: model.unusable === null,
    ...((isUnpriced || model.projectorProblem !== undefined) && model.unusable === null && { warning: true }),
    detail: model.unusable === null ? parts.join(", ") : `unusable: ${model.unusable}`,
  };
}

/** Returns what was skipped in the folders of models. */
export function warningCheck(detail: string): DoctorCheck {
  return { name: "models folder", ok: true, warning: true, detail };
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}
