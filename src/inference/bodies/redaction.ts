/** Removes from texts what must not be stored: addresses, secrets, fields of tool arguments, and what the operator's patterns match. */
import type { ContentMessage, ContentPart } from "../content/messages.js";

/** Takes a text's place. */
const removed = "[redacted]";

const email = /[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/gi;

/** Secrets that have a recognizable form: private keys, tokens of well-known services, JSON web tokens, and values after their name. */
const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,200}/g,
  /\bgh[opsur]_\w{20,255}/g,
  /\bgithub_pat_\w{20,255}/g,
  /\bglpat-[\w-]{20,64}/g,
  /\bxox[abeoprs]-[\w-]{10,250}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bhf_[A-Za-z\d]{20,100}/g,
  /\beyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{0,1000}/g,
  /(?<=\bBearer\s)[\w.~+/=-]{12,2000}/g,
  /(?<=\b(?:password|passwd|pwd|secret|token|api[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;]{4,500}/gi,
];

export type Redact = (messages: readonly ContentMessage[]) => readonly ContentMessage[];

/** Returns the pattern of a rule such as `/AB-\d+/i`; null for another rule. */
function readPattern(rule: string): RegExp | null {
  const [, source, flags = ""] = /^\/(.+)\/([imsu]*)$/.exec(rule) ?? [];
  return source === undefined ? null : new RegExp(source, `g${flags}`);
}

/**
 * Builds a redaction.
 * @param rules as the setting `requestBodiesRedact` has them, which is validated
 * @param withoutKeys removes the keys of this server, which is always done
 */
export function createRedaction(rules: readonly string[], withoutKeys: (text: string) => string): Redact {
  const fields = new Set(
    rules.flatMap((rule) => (rule.startsWith("field:") ? [rule.slice(6).toLowerCase()] : [])),
  );
  const patterns = [
    ...(rules.includes("secrets") ? secrets : []),
    ...(rules.includes("emails") ? [email] : []),
    ...rules.map(readPattern).filter((pattern) => pattern !== null),
  ];
  const clean = (text: string): string =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, removed), withoutKeys(text));
  const cleanJson = (json: string): string => clean(fields.size === 0 ? json : withoutFields(json, fields));
  return (messages) =>
    messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => cleanPart(part, clean, cleanJson)),
    }));
}

function cleanPart(
  part: ContentPart,
  clean: (text: string) => string,
  cleanJson: (json: string) => string,
): ContentPart {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { ...part, content: cleanJson(part.content) };
    case "tool_call":
      return { ...part, arguments: cleanJson(part.arguments) };
    case "tool_call_response":
      return { ...part, response: cleanJson(part.response) };
    case "uri":
      return { ...part, uri: clean(part.uri) };
    default:
      return part;
  }
}

/** Replaces the values of members with these names in a JSON text; another text is returned unchanged. */
function withoutFields(json: string, fields: ReadonlySet<string>): string {
  if (!/^\s*[[{]/.test(json)) return json;
  try {
    return JSON.stringify(
      JSON.parse(json, (name, value: unknown) => (fields.has(name.toLowerCase()) ? removed : value)),
    );
  } catch {
    return json;
  }
}
