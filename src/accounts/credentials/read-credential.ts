type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the secret that a request presents: from `Authorization: Bearer <secret>`, else from `x-api-key` or `api-key`, else null. Other
 * authorization schemes are ignored.
 */
export function readCredential(headers: Headers): string | null {
  const [secret] = ["x-api-key", "api-key"].flatMap((name) => first(headers[name])?.trim() || []);
  return bearer(first(headers["authorization"])) ?? secret ?? null;
}

function bearer(header: string | undefined): string | null {
  const trimmed = header?.trim() ?? "";
  if (!/^bearer(\s|$)/i.test(trimmed)) return null;
  return trimmed.slice("bearer".length).trim() || null;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
