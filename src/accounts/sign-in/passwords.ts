/** Hashes and verifies passwords with scrypt (RFC 7914). */
import { scrypt, timingSafeEqual } from "node:crypto";
import { HearthError } from "../../core/errors.js";
import type { Random } from "../../core/random.js";
import { invalid } from "../field-rules.js";

/** The parameters of scrypt; they are stored with every hash. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about 0.2 s; one of the choices of OWASP's Password Storage Cheat Sheet. */
const defaultCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

/** Hashes that are computed at the same time, each with its memory. */
const parallelMax = 2;
/** Hashes that wait; further requests are refused. */
const waitingMax = 32;

/** Characters of a password. */
const passwordCharacters = { min: 10, max: 256 } as const;

export type Passwords = ReturnType<typeof createPasswords>;

/** Checks a new password. @throws HearthError `invalid_value` naming the field. */
export function checkPassword(password: string): void {
  const { min, max } = passwordCharacters;
  const characters = [...password].length;
  if (characters < min || characters > max)
    throw invalid("password", `must have ${min} to ${max} characters`);
}

/** @param cost of new hashes; stored ones keep theirs */
export function createPasswords(random: Random, cost: PasswordCost = defaultCost) {
  const run = createTurns();
  const nobody = stored(random.bytes(saltBytes), random.bytes(hashBytes), cost);
  return {
    /** Returns the hash with its salt and parameters. @throws HearthError `overloaded` while too many hashes wait. */
    async hash(password: string): Promise<string> {
      const salt = random.bytes(saltBytes);
      return stored(salt, await run(() => derive(password, salt, cost)), cost);
    },
    /**
     * Whether the password belongs to a stored hash. It takes the same time for null, which stands for a member who does not exist or
     * has no password, and for which no password is right.
     * @throws HearthError `overloaded` while too many hashes wait.
     */
    async matches(password: string, of: string | null): Promise<boolean> {
      const { salt, hash, ...parameters } = parse(of ?? nobody);
      const derived = await run(() => derive(password, salt, parameters));
      return timingSafeEqual(derived, hash) && of !== null;
    },
  };
}

/** Returns a function that runs work, at most `parallelMax` at a time. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (waiting.length >= waitingMax)
      throw new HearthError("overloaded", "Too many people are signing in. Please try again.", {
        retryAfterSeconds: 5,
      });
    if (active >= parallelMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
    try {
      return await work();
    } finally {
      // The turn passes to the next one, or ends.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}

function derive(password: string, salt: Uint8Array, { N, r, p }: PasswordCost): Promise<Uint8Array> {
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    // A password has the same bytes on every keyboard.
    scrypt(password.normalize("NFKC"), salt, hashBytes, options, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}

function stored(salt: Uint8Array, hash: Uint8Array, { N, r, p }: PasswordCost): string {
  return ["scrypt", N, r, p, base64(salt), base64(hash)].join("$");
}

function parse(text: string): PasswordCost & { readonly salt: Uint8Array; readonly hash: Uint8Array } {
  const [, N, r, p, salt = "", hash = ""] = text.split("$");
  const bytes = (part: string): Uint8Array => Buffer.from(part, "base64url");
  return { N: Number(N), r: Number(r), p: Number(p), salt: bytes(salt), hash: bytes(hash) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
