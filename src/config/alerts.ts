/** Settings of alerts: what they look for, and how they are sent. */
import { z } from "zod";
import { list, whole, zeroOr } from "./values.js";

const smtpUrl = z.string().refine(isSmtpUrl, "must be like smtps://user:password@mail.example.com");

function isSmtpUrl(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(written);
  return (
    /^smtps?:$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname) && search === "" && hash === ""
  );
}

export const alertSettings = {
  /** How often the server looks for what is wrong; 0: never. */
  alertCheckSeconds: zeroOr(whole(5, 3600)).default(30),
  /** When an alert that goes on is sent again. */
  alertRepeatHours: whole(1, 8_760).default(24),
  /** Credit of a prepaid team below which there is an alert, in USD; 0: none. A channel can have an amount of its own. */
  alertCreditUsd: zeroOr(whole(1, 1_000_000)).default(5),
  /** Share of failed requests or runs, in percent, from which on there is an alert; 0: none. */
  alertErrorPercent: zeroOr(whole(1, 100)).default(10),
  /** The time over which this share is counted. */
  alertErrorMinutes: whole(1, 60).default(5),
  /** Free share of the disk of the data folder, in percent, below which there is an alert; 0: none. */
  alertDiskFreePercent: zeroOr(whole(1, 99)).default(5),
  /**
   * Hosts of webhooks that may have addresses that are not public, and be reached in plain text: names, `*.domain` or addresses, with
   * `:port` when it is not the scheme's default. `off`: none.
   */
  alertHosts: z.union([z.literal("off").transform((): string[] => []), list]).default([]),
  /** Server that sends e-mail: `smtps://` for TLS, `smtp://` for STARTTLS; null: there is none. */
  smtpUrl: smtpUrl.nullable().default(null),
  /** Sender of e-mail. */
  smtpFrom: z
    .string()
    .max(254)
    .regex(/^[^@\s]+@[^@\s]+$/, "must be an e-mail address")
    .nullable()
    .default(null),
  /** PEM file of the authority that has signed the certificate of that server; null: those that Node.js knows. */
  smtpCa: z.string().min(1).nullable().default(null),
} as const;
