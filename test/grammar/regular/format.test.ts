import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, difference, isEmpty, lengthBounds } from "../../../src/grammar/regular/automaton.js";
import {
  formatAutomaton,
  formatNames,
  formatValid,
  generatedFormat,
  isRegularFormat,
} from "../../../src/grammar/regular/pattern/format.js";

/** For each format the texts that it accepts and rejects. */
const cases: Record<string, { yes: readonly string[]; no: readonly string[] }> = {
  date: {
    yes: ["2024-02-29", "2000-02-29", "1999-12-31", "2023-04-30"],
    no: [
      "2023-02-29",
      "1900-02-29",
      "2023-04-31",
      "2023-13-01",
      "2023-00-10",
      "2023-1-1",
      "2023-01-32",
      "23-01-01",
    ],
  },
  time: {
    yes: ["00:00:00Z", "23:59:59.123+05:30", "23:59:60Z", "12:00:00z", "08:30:06-08:00"],
    no: ["24:00:00Z", "12:60:00Z", "12:00:60Z", "12:00:00", "12:00Z", "12:00:00+24:00", "12:00:00.Z"],
  },
  "date-time": {
    yes: ["2024-02-29T12:00:00Z", "1990-12-31t23:59:60z", "1963-06-19T08:30:06.283185+01:00"],
    no: [
      "2023-02-29T12:00:00Z",
      "2024-02-29 12:00:00Z",
      "2024-02-29T12:00:00",
      "2024-02-29",
      "2024-02-29T25:00:00Z",
    ],
  },
  duration: {
    yes: ["P1Y2M3DT4H5M6S", "P4W", "PT36H", "P1D", "PT0S", "P1YT1M"],
    no: ["P", "PT", "P1YT", "4DT12H", "P2S", "P1M2W", "P1Y2D", "PT1H2S", "p1d"],
  },
  email: {
    yes: ["joe.bloggs@example.com", "a+b@sub.example.org", "te~st@example.com", "x@a-b.co"],
    no: [
      "2962",
      "@example.com",
      "a@",
      ".a@example.com",
      "a.@example.com",
      "a..b@example.com",
      "a@-b.com",
      "a@b@c.com",
      "a b@c.de",
      `${"a".repeat(65)}@example.com`,
    ],
  },
  hostname: {
    yes: ["www.example.com", "localhost", "xn--4gbwdl.xn--wgbh1c", "a-b.c", "1host", "a".repeat(63)],
    no: ["", "-a.com", "a-.com", "a..b", "a_b", ".a", "a".repeat(64), `${"a.".repeat(200)}a`],
  },
  ipv4: {
    yes: ["0.0.0.0", "192.168.0.1", "255.255.255.255"],
    no: ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.4\n"],
  },
  ipv6: {
    yes: [
      "::",
      "::1",
      "1::",
      "fe80::a:b",
      "1:2:3:4:5:6:7:8",
      "::ffff:192.168.0.1",
      "1::d6:192.168.0.1",
      "1:2:3:4:5:6:1.2.3.4",
      "1:2:3:4:5:6:7::",
      "::2:3:4:5:6:7:8",
    ],
    no: [
      ":",
      ":::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "12345::",
      "1::2::3",
      "::1%eth0",
      "1:2:3:4:5:6:7:8::",
      ":1:2:3:4:5:6:7:8",
      "::1.2.3",
    ],
  },
  regex: {
    yes: ["", "a|b", "^[a-z]+$", "(?<y>\\d{4})-\\k<y>", "[\\w-.]", "\\p{Letter}", "a{2,"],
    no: ["*", "(", "[", "\\", "a**", "(?<x>a)(?<x>b)", "\\p{Nothing}", "(".repeat(100_000)],
  },
  uuid: {
    yes: ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
    no: [
      "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
      "2eb8aa08aa9811eab4aa73b441d16380",
      "2eb8aa08-aa98-11ea-b4ga-73b441d16380",
    ],
  },
  uri: {
    yes: [
      "http://foo.bar/?baz=qux#quux",
      "urn:oasis:names",
      "mailto:a@b.de",
      "ldap://[2001:db8::7]/c=GB?x",
      "tel:+1-816",
      "http://a@b:80/%20",
      "file:///etc",
    ],
    no: [
      "//foo.bar",
      "/abc",
      "\\\\share",
      "abc",
      "http:// no",
      "http://a/<b>",
      "http://[1::2",
      "http://x/%2",
      "bar,baz:foo",
      "http://a.b\n",
    ],
  },
  "uri-reference": {
    yes: ["", "/abc", "//foo.bar/?a=b", "abc", "#frag", "http://x", "a/b:c", "?q"],
    no: ["\\\\share", "#frag\\ment", "a b", "1:2", "%"],
  },
  iri: {
    yes: [
      "http://ƒøø.ßår/?∂éœ=πîx#πîüx",
      "http://a/",
      "urn:é",
      "x:/?\u{e000}",
      "x:\u{10000}",
      "http://[::1]/東",
    ],
    no: [
      "//ƒøø.ßår",
      "abc",
      "http:// é",
      "x:\u{e000}",
      "x:\u{fdd0}",
      "x:\u{1fffe}",
      "http://[é]",
      "x:\u0080",
    ],
  },
  "iri-reference": {
    yes: ["", "é", "#ƒräg", "//é/?東", "x:é"],
    no: ["\\\\WINDOWS\\filëßåré", "#ƒräg\\mënt", "é é", "1é:2"],
  },
  "uri-template": {
    yes: ["http://x/{a}", "{?x,y*}", "{+a:3}", "", "a{b.c}"],
    no: ["{", "http://x/{a", "{}", "a b", "}"],
  },
  "json-pointer": { yes: ["", "/", "/a/b~0~1", "/é"], no: ["a", "/~", "/~2", "#/a"] },
  "relative-json-pointer": { yes: ["0", "1/a", "12#", "0/"], no: ["/a", "01/a", "-1", "0##", ""] },
};

describe("formats", () => {
  it("are exactly the ones with a case here", () => {
    expect([...formatNames].sort()).toEqual(Object.keys(cases).sort());
    expect([...formatNames].filter((name) => !isRegularFormat(name))).toEqual(["regex"]);
    expect(() => formatAutomaton("regex")).toThrow(RangeError);
  });

  it.each(Object.entries(cases))("%s accepts what its standard accepts", (name, { yes, no }) => {
    expect(yes.filter((one) => !formatValid(name, one))).toEqual([]);
    expect(no.filter((one) => formatValid(name, one))).toEqual([]);
  });

  it.each(Object.entries(cases).filter(([name]) => isRegularFormat(name)))(
    "%s is validated by its automaton",
    (name, { yes, no }) => {
      for (const one of [...yes, ...no])
        expect(formatValid(name, one)).toBe(accepts(formatAutomaton(name), one));
    },
  );
});

// RFC 6570 allows a point between the parts of a name, and its erratum an apostrophe; ajv allows neither. ajv
// accepts regular expressions only with the flag u, but real schemas do not follow that.
const notCompared = new Set(["uri-template", "regex", "iri", "iri-reference"]);
const comparedFormats = [...formatNames].filter((name) => !notCompared.has(name));

describe("a generated text", () => {
  it.each(["date-time", "time", "duration"])(
    "of the format %s is one of the format, and has a bounded length",
    (name) => {
      expect(lengthBounds(formatAutomaton(name)).max).toBeNull();
      expect(lengthBounds(generatedFormat(name)).max).toBeLessThan(100);
      expect(isEmpty(difference(generatedFormat(name), formatAutomaton(name)))).toBe(true);
      const { yes = [], no = [] } = cases[name] ?? {};
      const generated = (text: string): boolean => accepts(generatedFormat(name), text);
      expect([yes.filter(generated), no.filter(generated)]).toEqual([yes, []]);
    },
  );
});

it("a generated date has a year that a calendar has", () => {
  for (const [name, time] of [
    ["date", ""],
    ["date-time", "T10:00:00Z"],
  ] as const) {
    const generated = ["0000-02-29", "0001-01-01", "1000-01-01"].map((day) =>
      accepts(generatedFormat(name), day + time),
    );
    expect(generated).toEqual([false, true, true]);
  }
});

describe("an iri", () => {
  it.each(["iri", "iri-reference"])("of the format %s is a URI once it is percent-encoded", (name) => {
    const part = fc.constantFrom(
      "x:",
      "//",
      "/",
      "?",
      "#",
      "é",
      "東",
      "\u{e000}",
      "🎉",
      "a",
      "%",
      "41",
      "[::1]",
      " ",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const encoded = text.replace(/\P{ASCII}/gu, encodeURIComponent);
        const uri = formatValid(name.replace("iri", "uri"), encoded);
        if (formatValid(name, text)) expect(uri, text).toBe(true);
        else if (!text.includes("\u{e000}")) expect(uri, text).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("compared with ajv-formats", () => {
  const ajv = new Ajv();
  addFormats.default(ajv);

  it.each(comparedFormats)("%s accepts nothing that ajv rejects", (name) => {
    const valid = ajv.compile({ type: "string", format: name });
    const { yes = [], no = [] } = cases[name] ?? {};
    const seed = fc.constantFrom(...yes, ...no);
    const changed = fc
      .tuple(
        seed,
        fc.nat(40),
        fc.nat(3),
        fc.constantFrom("", "0", "1", "9", "-", ":", ".", "/", "T", "Z", "%", "a", "é", " "),
      )
      .map(([text, at, count, put]) => text.slice(0, at) + put + text.slice(at + count));
    fc.assert(
      fc.property(changed, (text) => {
        if (formatValid(name, text)) expect(valid(text), text).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
