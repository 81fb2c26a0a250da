/** What `hearth doctor` prints about the certificate of the HTTPS server. */
import type { Config } from "../config/config.js";
import type { DoctorCheck } from "../core/report/doctor.js";
import { readCertificate } from "../http/server/tls.js";

/**
 * Returns the names and the end of the certificate, or why the server cannot use it; null without HTTPS.
 * @param now milliseconds since 1970
 */
export function certificateReport(
  { tlsCert, tlsKey }: Config,
  now: number,
): Omit<DoctorCheck, "name"> | null {
  if (tlsCert === null || tlsKey === null) return null;
  try {
    const { names, end, warning } = readCertificate({ certFile: tlsCert, keyFile: tlsKey }, now);
    const detail = warning ?? `valid until ${end.toISOString().slice(0, 10)}`;
    const isWarned = warning !== null && end.getTime() > now;
    return {
      ok: end.getTime() > now,
      ...(isWarned && { warning: true as const }),
      detail: `${names.join(", ") || "no name"}: ${detail}`,
    };
  } catch (thrown) {
    return { ok: false, detail: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
