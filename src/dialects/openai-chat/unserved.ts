/**
 * Fields of a chat request that are read but not served yet. Ignoring one of them would change the meaning of the answer, so
 * each is refused by name; a line leaves this file when its machinery arrives.
 */
import { unsupported } from "../field-error.js";
import type { ChatRequestBody } from "./schema.js";

/** @throws HearthError `invalid_value` with the code `unsupported_parameter`, naming the first such field. */
export function refuseUnserved(fields: ChatRequestBody): void {
  for (const [field, asked, what] of rules(fields)) if (asked) throw unsupported(field, what);
}

type Rule = readonly [field: keyof ChatRequestBody, asked: boolean, what: string];

function rules(fields: ChatRequestBody): readonly Rule[] {
  const { tool_choice: choice, function_call: call, response_format: format } = fields;
  return [
    ["deferred", fields.deferred === true, "deferred completions are"],
    ["tools", !isEmpty(fields.tools), "tools are"],
    ["tool_choice", choice != null && choice !== "none" && choice !== "auto", "forcing a tool call is"],
    ["functions", !isEmpty(fields.functions), "functions are"],
    ["function_call", call != null && call !== "none" && call !== "auto", "forcing a function call is"],
    ["response_format", format != null && format.type !== "text", `the format '${format?.type ?? ""}' is`],
    ["logprobs", fields.logprobs === true, "log probabilities are"],
    ["top_logprobs", (fields.top_logprobs ?? 0) > 0, "log probabilities are"],
    ["n", (fields.n ?? 1) > 1, "more than one choice is"],
    ["logit_bias", !isEmpty(Object.keys(fields.logit_bias ?? {})), "biasing tokens is"],
    ["search_parameters", fields.search_parameters?.mode === "on", "live search is"],
    ["web_search_options", fields.web_search_options != null, "web search is"],
    ["modalities", fields.modalities?.includes("audio") === true, "audio output is"],
  ];
}

function isEmpty(items: readonly unknown[] | null | undefined): boolean {
  return items == null || items.length === 0;
}
