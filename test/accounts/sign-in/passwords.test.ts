import { expect, it } from "vitest";
import { createPasswords } from "../../../src/accounts/sign-in/passwords.js";
import { systemRandom } from "../../../src/system/clock.js";

const cheap = { N: 16, r: 1, p: 1 };

it("a password matches its own hash only, in whichever form its characters are typed", async () => {
  const passwords = createPasswords(systemRandom, cheap);
  const stored = await passwords.hash("caf\u00e9 au lait");
  expect(await passwords.hash("caf\u00e9 au lait")).not.toBe(stored);
  expect(await passwords.matches("cafe\u0301 au lait", stored)).toBe(true);
  expect(await passwords.matches("cafe au lait", stored)).toBe(false);
  expect(await passwords.matches("caf\u00e9 au lait", null)).toBe(false);
});

it("a hash keeps its parameters when those of new ones change", async () => {
  const stored = await createPasswords(systemRandom, cheap).hash("a long pass phrase");
  expect(stored).toMatch(/^scrypt\$16\$1\$1\$/);
  const later = createPasswords(systemRandom, { ...cheap, N: 32 });
  expect(await later.matches("a long pass phrase", stored)).toBe(true);
});

it("34 passwords are checked or wait, further ones are refused at once, and later ones are checked again", async () => {
  const passwords = createPasswords(systemRandom, cheap);
  const stored = await passwords.hash("a long pass phrase");
  const all = await Promise.allSettled(
    Array.from({ length: 36 }, () => passwords.matches("a long pass phrase", stored)),
  );
  const refused = all.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  expect(refused).toMatchObject([{ kind: "overloaded" }, { kind: "overloaded" }]);
  expect(all.filter((each) => each.status === "fulfilled" && each.value)).toHaveLength(34);
  expect(await passwords.matches("a long pass phrase", stored)).toBe(true);
});
