/**
 * Rejects fields of a chat request that are not supported and cannot be ignored, because they would change the meaning of the
 * answer.
 */
import { unsupported } from "../field-error.js";
import type { ChatRequestBody } from "./schema.js";

/** @throws HearthError `invalid_value` with the code `unsupported_parameter`, naming the first such field. */
export function rejectUnsupportedChatFields(fields: ChatRequestBody): void {
  for (const [field, isRequested, what] of rules(fields)) if (isRequested) throw unsupported(field, what);
}

type Rule = readonly [field: keyof ChatRequestBody, isRequested: boolean, what: string];

function rules(fields: ChatRequestBody): readonly Rule[] {
  return [
    ["tools", fields.tools?.some(({ type }) => type === "live_search") === true, "live search is"],
    ["search_parameters", fields.search_parameters?.mode === "on", "live search is"],
    ["modalities", fields.modalities?.includes("audio") === true, "audio output is"],
  ];
}
