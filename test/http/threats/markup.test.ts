import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../../src/http/server/route.js";
import { expectEvery } from "../../kit/every.js";
import { fileServer } from "../../kit/server.js";
import {
  createCheapEngines,
  credentialOf,
  createObject,
  routeName,
  createTestTeam,
  pathWith,
  routes,
  type TestTeam,
} from "./world.js";

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

const shared = fileServer({ ...createCheapEngines(), accounts: "managed" });
let side: TestTeam;
beforeAll(async () => {
  side = await createTestTeam(shared(), "ours");
});

describe("E12: names that are markup", () => {
  it.each(markups)(
    "%s come back letter by letter, as JSON that no browser takes for a page",
    async (name) => {
      const server = shared();
      const teamId = await server.createTeam(name);
      const { apiKey, apiKeyId } = await server.createKey(teamId, { name, acls: ["api-key:endpoint:*"] });
      await server.request("PUT", `/auth/api-keys/${apiKeyId}`, { apiKey: { name: `${name}!` } });
      const received = async (path: string, credential?: string) => {
        const answer = JSON.stringify((await server.request("GET", path, undefined, credential)).body);
        expect(answer).toContain(`"name":${JSON.stringify(name).slice(0, -1)}`);
      };
      await received("/auth/teams");
      await received(`/auth/teams/${teamId}/api-keys`);
      await received("/v1/api-key", apiKey);
      const { body } = await server.request("GET", `/audit/teams/${teamId}/events`);
      expect(JSON.stringify(body)).toContain(JSON.stringify(`Created the API key '${name}'`).slice(1, -1));
    },
  );

  it("of a model are returned in an error as data", async () => {
    for (const model of markups) {
      const path = `/v1/models/${encodeURIComponent(model)}`;
      const response = await fetch(shared().url + path, { headers: { "x-api-key": side.apiKey } });
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(await response.json()).toHaveProperty("error.message", expect.stringContaining(model));
    }
  });
});

/** Browsers are led from `/` to a page. */
const isPage = ({ path }: Route, response: Response, headers: object) =>
  ["/docs", "/docs/guides", "/console", "/console/:page"].includes(path) ||
  (path === "/" && response.ok && "accept" in headers);

it("E12: every route declares its content type and forbids guessing, also for errors", () =>
  expectEvery(routes, routeName, async (route) => {
    const path = await pathWith(route, (param) => createObject(shared(), side, param));
    const credential = credentialOf(route, side);
    const ours: Record<string, string> = credential === null ? {} : { authorization: `Bearer ${credential}` };
    const sent = [ours, { authorization: "Bearer <script>" }, { ...ours, accept: "text/html" }];
    for (const headers of sent) {
      const response = await fetch(shared().url + path, { method: route.method, headers });
      await response.text();
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      if (!isPage(route, response, headers))
        expect(response.headers.get("content-type")).toMatch(
          /^(application\/json; charset=utf-8|text\/plain; .*|image\/png|application\/(octet-stream|x-ndjson|x-jsonl))$/,
        );
      else {
        const policy = response.headers.get("content-security-policy") ?? "";
        expect(policy).toMatch(/^default-src 'none'; .*style-src '(sha256-|self')/);
        expect(policy).not.toMatch(/unsafe-|\*|https?:/);
      }
    }
  }));

it("E12: the page of the reference neither inserts nor runs text of the server as markup", async () => {
  const { url } = shared();
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/unsafe-|\*|https?:|data:(?!;|$)(?<!img-src data:)/);
  const text = await page.text();
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  const document = await (await fetch(`${url}/openapi.json`)).text();
  // The page is the same for everyone and contains no text of clients.
  for (const markup of markups) expect(document).not.toContain(JSON.stringify(markup).slice(1, -1));
});
