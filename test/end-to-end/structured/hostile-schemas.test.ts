import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type TestServer, fileServer, startServer } from "../../kit/server.js";
import { builtInModel, testKey } from "../../kit/server/settings.js";
import { until } from "../../kit/until.js";
import { firstChoice, tokenCalled, requestJson } from "../../kit/clients/chat-answers.js";
import { patterns, shapes, sizes, type Hostile } from "./hostile.js";

const shared = fileServer();

/** Maximum CPU time of this process until a rejection, of the best of three attempts: other requests may run meanwhile. */
const refusalCpuMsMax = 1000;

interface Reply {
  readonly status: number;
  readonly cpuMs: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly message: string;
  readonly finish: string | null;
  readonly content: string;
}

/** Requests an answer of a few tokens; `note` makes the schema a new one that is not in the cache. */
async function ask(app: TestServer, schema: Hostile["schema"], note = "", asTool = false): Promise<Reply> {
  const schemaJson = typeof schema === "string" ? schema : JSON.stringify({ ...schema, $comment: note });
  const place = asTool
    ? { tools: [{ type: "function", function: { name: "f", parameters: "?" } }], tool_choice: "required" }
    : { response_format: { type: "json_schema", json_schema: { name: "it", schema: "?" } } };
  const body = {
    model: builtInModel,
    messages: [{ role: "user", content: "Hello!" }],
    temperature: 0,
    max_tokens: 12,
    reasoning_effort: "none",
    ...place,
  };
  const before = process.cpuUsage();
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body).replace('"?"', () => schemaJson),
  });
  const answer = (await response.json()) as {
    readonly error?: { readonly message: string; readonly code: string; readonly param: string | null };
    readonly choices?: readonly {
      readonly message: { readonly content: string };
      readonly finish_reason: string;
    }[];
  };
  const used = process.cpuUsage(before);
  const [choice] = answer.choices ?? [];
  return {
    status: response.status,
    cpuMs: (used.user + used.system) / 1000,
    code: answer.error?.code ?? null,
    param: answer.error?.param ?? null,
    message: answer.error?.message ?? "",
    finish: choice?.finish_reason ?? null,
    content: choice?.message.content ?? "",
  };
}

/** Streams answers for another client until the test ends; `pieces` counts the received deltas. */
function startNeighbour(app: TestServer): { readonly pieces: number } {
  const received = { pieces: 0 };
  const leaving = new AbortController();
  const tell = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      const stream = await app.client.chat.completions.create(
        {
          model: builtInModel,
          messages: [{ role: "user", content: "Tell me a long story." }],
          stream: true,
        },
        { signal: leaving.signal },
      );
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) received.pieces += 1;
    }
  };
  const telling = tell().catch(() => undefined);
  onTestFinished(async () => {
    leaving.abort();
    await telling;
  });
  return received;
}

async function isAnswered(
  app: TestServer,
  { schema, fate, says = /./ }: Hostile,
  asTool: boolean,
): Promise<void> {
  const tries: Reply[] = [];
  while (tries.length < 3 && (tries.at(-1)?.cpuMs ?? Infinity) > refusalCpuMsMax)
    tries.push(await ask(app, schema, `try ${tries.length}`, asTool));
  for (const { status, message, code, finish, content, param } of tries) {
    if (fate === "refused") {
      expect({ status, message }).toEqual({ status: 400, message: expect.stringMatching(says) as string });
      expect(message).not.toMatch(/internal|undefined|stack| at .*:\d+/);
      if (code === "invalid_schema")
        expect(param).toBe(asTool ? "tools.0.function.parameters" : "response_format.json_schema.schema");
    } else if (fate === "judged" && status === 500) expect(code).toBe("invalid_output");
    else {
      expect({ status, message }).toEqual({ status: 200, message: "" });
      if (finish === "stop") expect(() => void JSON.parse(content)).not.toThrow();
      else expect(["length", "tool_calls"]).toContain(finish);
    }
  }
  if (fate === "refused") expect(Math.min(...tries.map(({ cpuMs }) => cpuMs))).toBeLessThan(refusalCpuMsMax);
}

describe.each([
  ["D1: a hostile pattern", patterns],
  ["D2: a hostile shape", shapes],
  ["D3: a hostile size", sizes],
])("%s", (_, list) => {
  it("is rejected within a second or applied to the answer, while another client's stream continues", async () => {
    const app = shared();
    const neighbour = startNeighbour(app);
    for (const hostile of list) {
      await isAnswered(app, hostile, false);
      const seen = neighbour.pieces;
      await until(() => neighbour.pieces > seen);
    }
  });
});

describe("D2: a schema", () => {
  it.each([...patterns, ...shapes].filter(({ fate }) => fate === "refused").slice(0, 12))(
    "of a tool is rejected, too: $name",
    async (hostile) => {
      await isAnswered(shared(), hostile, true);
    },
  );

  it("with a reference to a URL is rejected without a network request", async () => {
    let requests = 0;
    const web = createServer((_, response) => {
      requests += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void web.close());
    const { port } = web.address() as AddressInfo;
    const app = shared();
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reply = await ask(app, { properties: { a: { [keyword]: `http://127.0.0.1:${port}/a.json` } } });
      expect(reply).toMatchObject({ status: 400, code: "invalid_schema" });
      expect(reply.message).toContain(keyword);
    }
    expect(requests).toBe(0);
  });
});

/** Returns the code of a worker thread that reports ready and then runs this for every schema. */
function threadThat(does: string): URL {
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ type, id, request: work }) => {
      if (type !== "call") return;
      const reply = (value) => parentPort.postMessage({ type: "result", id, value });
      ${does}
    });
    parentPort.postMessage({ type: "ready" });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

describe("D4: reading a schema", () => {
  it("that never ends is given up at its time limit, while other clients keep receiving tokens", async () => {
    const app = await startServer({ schemaWorkerUrl: threadThat("for (;;);"), schemaMsMax: 700 });
    const neighbour = startNeighbour(app);
    await until(() => neighbour.pieces > 0);
    for (const round of [1, 2]) {
      const seen = neighbour.pieces;
      const reply = await ask(app, { type: "string", title: `${round}` });
      // The limit of work ends every conversion earlier: this is a fault of the server, not of the schema.
      expect(reply).toMatchObject({ status: 503, message: expect.stringContaining("too busy") as string });
      expect(neighbour.pieces - seen).toBeGreaterThan(5);
    }
  });

  it("that exceeds its memory limit is rejected, and the server continues to run", async () => {
    const hoard = "const all = []; for (;;) all.push(new Array(1e5).fill(work.schema.title + all.length));";
    const app = await startServer({ schemaWorkerUrl: threadThat(hoard) });
    const reply = await ask(app, { type: "string", title: "x" });
    expect(reply).toMatchObject({ status: 400, code: "invalid_schema" });
    expect(reply.message).toContain("memory");
    expect(firstChoice(await requestJson(app)).finish).toBe("stop");
  });

  it("is done once: the same schema is read from the cache, rejected or not", async () => {
    const counted = "globalThis.n = (globalThis.n ?? 0) + 1;";
    const refuse = `reply({ type: "refused", message: "read " + n, keyword: null, pointer: "" });`;
    const app = await startServer({ schemaWorkerUrl: threadThat(counted + refuse) });
    const replies = [
      await ask(app, { title: "a" }),
      await ask(app, { title: "a" }),
      await ask(app, { title: "b" }),
    ];
    expect(replies.map(({ message }) => message)).toEqual([1, 1, 2].map((n) => `Invalid schema: read ${n}`));
  });
});

describe("D5: a grammar that the engine cannot use", () => {
  it.each([
    ["does not parse", `new Map([["s", "(((("]])`, [500, 500]],
    ["names an unknown rule", `new Map([["s", "missing"]])`, [500, 500]],
    // It has no end of ways to begin; within a call, the rule is not the first one.
    ["is left-recursive", `new Map([["s", 's "a" | "b"']])`, [400, 500]],
  ])("because it %s fails the request, which never returns free text instead", async (_, rules, statuses) => {
    const grammar = `{ rules: ${rules}, root: "s", exact: true }`;
    const thread = threadThat(
      `reply(work.type === "convert" ? { type: "converted", converted: ${grammar} } : { type: "checked", problem: null });`,
    );
    const app = await startServer({ schemaWorkerUrl: thread });
    for (const [at, asTool] of [false, true].entries()) {
      const reply = await ask(app, { type: "object" }, "", asTool);
      expect(reply).toMatchObject({ status: statuses[at], content: "", finish: null });
    }
    expect(firstChoice(await requestJson(app)).finish).toBe("stop");
  });
});

describe("D6: a model that prefers white space", () => {
  it("still completes its JSON", async () => {
    const app = shared();
    const tokens = await Promise.all(["Ġ", "Ċ"].map(tokenCalled));
    const schema = {
      type: "object",
      properties: { a: { type: "boolean" }, b: { type: "array", items: { type: "null" }, maxItems: 3 } },
      required: ["a", "b"],
    };
    const answer = await requestJson(app, {
      logit_bias: Object.fromEntries(tokens.map((token) => [token, 100])),
      max_tokens: 400,
      reasoning_effort: "none",
      response_format: { type: "json_schema", json_schema: { name: "it", schema } },
    });
    expect(firstChoice(answer).finish).toBe("stop");
    expect(JSON.parse(firstChoice(answer).content)).toMatchObject({ a: expect.any(Boolean) as boolean });
    expect(firstChoice(answer).content).toMatch(/\s/);
  });
});
