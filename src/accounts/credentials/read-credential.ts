type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the secret that a request presents: from `Authorization: Bearer <secret>`, else from `x-api-key`, else null. Other
 * authorization schemes are ignored.
 */
export function readCredential(headers: Headers): string | null {
  return bearer(first(headers["authorization"])) ?? (first(headers["x-api-key"])?.trim() || null);
}

function bearer(header: string | undefined): string | null {
  const trimmed = header?.trim() ?? "";
  if (!/^bearer(\s|$)/i.test(trimmed)) return null;
  return trimmed.slice("bearer".length).trim() || null;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
