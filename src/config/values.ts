/** The kinds of values that settings have, in the configuration file and in environment variables. */
import { z } from "zod";

/** `true`, `false`, `1` or `0` in a variable. */
export const onOff = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "1");
/** A whole number within bounds. */
export const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}`;
  return z.coerce.number({ error }).int(error).min(min, error).max(max, error);
};
/** A number within its bounds, or 0, which has a meaning of its own. */
export const zeroOr = <T extends z.ZodType<number>>(number: T) =>
  z.union([z.literal(0), z.literal("0").transform(() => 0), number]);
/** A list, or texts with commas between them in a variable. */
export const list = z.union([
  z.array(z.string()),
  z.string().transform((text) => text.split(",").map((item) => item.trim())),
]);
/** A key that the operator chooses. */
export const operatorKey = z
  .string()
  .min(16, "must have 16 characters or more")
  .max(512)
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");
/** An origin as browsers send it, such as `https://app.example.com`, or `*`. */
export const origin = z
  .string()
  .refine((text) => text === "*" || isOrigin(text), "must be `*` or origins such as https://app.example.com");

/** A default port, a path or a capital letter would never match. Of `app:` and other schemes, URL has no origin. */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^*/?#@\s]+$/.test(text) || !URL.canParse(text)) return false;
  return /^https?:/.test(text) ? new URL(text).origin === text : true;
}

/** Settings that `<variable>_FILE` can name a file for, as container systems hand over secrets. */
export const secretSettings = [
  "apiKey",
  "managementKey",
  "ollamaKey",
  "oidcClientSecret",
  "smtpUrl",
  "databaseUrl",
  "redisUrl",
  "engines",
] as const;
