/** Settings of the sign-in to the console through an OpenID Connect provider. */
import { z } from "zod";
import { list } from "./values.js";

const groupsMax = 1000;
const text = (max: number) => z.string().min(1, "must not be empty").max(max);

/** An address of a browser, with a path where a proxy serves Hearth below one. */
const publicUrl = z
  .string()
  .transform((written) => written.replace(/\/+$/, ""))
  .refine(
    isPublicAddress,
    "must be an address such as https://hearth.example.com or https://example.com/hearth",
  );

function isPublicAddress(written: string): boolean {
  if (!/^https?:\/\//.test(written) || !URL.canParse(written)) return false;
  const { origin, pathname } = new URL(written);
  return written === (pathname === "/" ? origin : origin + pathname);
}

/** The client secret and the answers of the provider travel to it, so that plain text is for this machine only. */
const issuer = z
  .string()
  .refine(
    (written) => URL.canParse(written) && isProtected(new URL(written)),
    "must be an https URL without query, or an http one on this machine",
  );

function isProtected({ protocol, hostname, search, hash, username }: URL): boolean {
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  const isPlain = search === "" && hash === "" && username === "";
  return isPlain && (protocol === "https:" || (protocol === "http:" && isLocal));
}

const groupRule = z.strictObject({
  /** The group's name or id, as the provider's claim has it. */
  group: text(512),
  /** Name or id of the team; `*`: the whole server. */
  team: text(100),
  role: z.enum(["owner", "admin", "member"]),
});

/** In a variable, a list of objects is JSON. */
const groups = z.preprocess(
  (written) => (typeof written === "string" ? parseJson(written) : written),
  z.array(groupRule).max(groupsMax),
);

function parseJson(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

export const oidcSettings = {
  /** The address at which browsers reach this server; null: the address of each request. */
  publicUrl: publicUrl.nullable().default(null),
  /** Issuer URL of the provider; null: members sign in by password only. */
  oidcIssuer: issuer.nullable().default(null),
  oidcClientId: text(512).nullable().default(null),
  /** null: the client is a public one, which has none. */
  oidcClientSecret: z
    .string()
    .min(8, "must have 8 characters or more")
    .max(1024)
    .regex(/^[\x20-\x7e]+$/, "must be printable ASCII")
    .nullable()
    .default(null),
  /** What the console calls the provider. */
  oidcName: text(50).default("single sign-on"),
  /** Scopes that are asked for; `openid` is one in any case. */
  oidcScopes: list.pipe(z.array(text(100)).max(50)).default(["openid", "profile", "email"]),
  /** The claim that has the groups of a person; dots lead into objects. */
  oidcGroupsClaim: text(200).default("groups"),
  /** Team and role of the members of a group; of several entries, the first one counts. */
  oidcGroups: groups.default([]),
} as const;
