import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedManaged, type Managed } from "../auth/managed.js";
import { credentialOf, makeThing, nameOf, newSide, pathWith, routes, type Side } from "./world.js";

const markups = [
  `<script>globalThis.ran=1</script>`,
  `"><img src=x onerror=globalThis.ran=1>`,
  `</script><svg/onload=globalThis.ran=1>`,
  `javascript:globalThis.ran=1`,
  `<a href="javascript:globalThis.ran=1">x</a>`,
  `{{constructor.constructor('globalThis.ran=1')()}}`,
  `<!--<script>`,
  `' onmouseover='globalThis.ran=1`,
];

let shared: { server: Managed; close: () => Promise<void> };
let side: Side;
beforeAll(async () => {
  shared = await sharedManaged();
  side = await newSide(shared.server, "ours");
});
afterAll(() => shared.close());

describe("E12: names that are markup", () => {
  it.each(markups)(
    "%s come back letter by letter, as JSON that no browser takes for a page",
    async (name) => {
      const { server } = shared;
      const teamId = await server.team(name);
      const { apiKey, apiKeyId } = await server.key(teamId, { name, acls: ["api-key:endpoint:*"] });
      await server.ask("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { name: `${name}!` } });
      const told = async (path: string, credential?: string) => {
        const answer = JSON.stringify((await server.ask("GET", path, undefined, credential)).body);
        expect(answer).toContain(`"name":${JSON.stringify(name).slice(0, -1)}`);
      };
      await told("/auth/teams");
      await told(`/auth/teams/${teamId}/api-keys`);
      await told("/v1/api-key", apiKey);
      const { body } = await server.ask("GET", `/audit/teams/${teamId}/events`);
      expect(JSON.stringify(body)).toContain(JSON.stringify(`Created the API key '${name}'`).slice(1, -1));
    },
  );

  it("of a model are told in an error as data", async () => {
    for (const model of markups) {
      const path = `/v1/models/${encodeURIComponent(model)}`;
      const response = await fetch(shared.server.url + path, { headers: { "x-api-key": side.apiKey } });
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(await response.json()).toHaveProperty("error.message", expect.stringContaining(model));
    }
  });
});

describe.each(routes.map((route) => [nameOf(route), route] as const))("E12: %s", (_, route) => {
  /** Browsers are led from `/` to a page. */
  const isPage = (response: Response, headers: object) =>
    ["/docs", "/docs/guides"].includes(route.path) ||
    (route.path === "/" && response.ok && "accept" in headers);
  const open = (headers: Headers) => ({
    sniff: headers.get("x-content-type-options"),
    type: headers.get("content-type"),
  });

  it("says what it is, and that it is nothing else, also where it refuses", async () => {
    const path = await pathWith(route, (param) => makeThing(shared.server, side, param));
    const credential = credentialOf(route, side);
    const ours = credential === null ? {} : { authorization: `Bearer ${credential}` };
    for (const headers of [ours, { authorization: "Bearer <script>" }, { ...ours, accept: "text/html" }]) {
      const response = await fetch(shared.server.url + path, { method: route.method, headers });
      await response.text();
      const { sniff, type } = open(response.headers);
      expect(sniff).toBe("nosniff");
      if (!isPage(response, headers))
        expect(type).toMatch(/^(application\/json; charset=utf-8|text\/plain; .*|image\/png)$/);
      else {
        const policy = response.headers.get("content-security-policy") ?? "";
        expect(policy).toMatch(/^default-src 'none'; .*style-src 'sha256-/);
        expect(policy).not.toMatch(/unsafe-|\*|https?:/);
      }
    }
  });
});

it("E12: the page of the reference puts no text of the server into its markup, and runs none", async () => {
  const { url } = shared.server;
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/unsafe-|\*|https?:|data:(?!;|$)(?<!img-src data:)/);
  const text = await page.text();
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  const document = await (await fetch(`${url}/openapi.json`)).text();
  // What is told there is the same for everybody: nothing that a stranger named.
  for (const markup of markups) expect(document).not.toContain(JSON.stringify(markup).slice(1, -1));
});
