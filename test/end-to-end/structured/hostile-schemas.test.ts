import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtInModel, sharedApp, startApp, type TestApp, testKey, until } from "../../harness.js";
import { first, tokenCalled, whole } from "../text/answers.js";
import { patterns, shapes, sizes, type Hostile } from "./hostile.js";

const shared = sharedApp();

/** A refusal has to be there by then; of a few tries, because the machine has others to serve. */
const refusalMsMax = 1000;

interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly message: string;
  readonly finish: string | null;
  readonly content: string;
}

/** Asks for an answer of a few tokens; `note` makes a schema another that was never seen. */
async function ask(app: TestApp, schema: Hostile["schema"], note = "", asTool = false): Promise<Reply> {
  const told = typeof schema === "string" ? schema : JSON.stringify({ ...schema, $comment: note });
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
  const since = performance.now();
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body).replace('"?"', () => told),
  });
  const answer = (await response.json()) as {
    readonly error?: { readonly message: string; readonly code: string; readonly param: string | null };
    readonly choices?: readonly {
      readonly message: { readonly content: string };
      readonly finish_reason: string;
    }[];
  };
  const [choice] = answer.choices ?? [];
  return {
    status: response.status,
    ms: performance.now() - since,
    code: answer.error?.code ?? null,
    param: answer.error?.param ?? null,
    message: answer.error?.message ?? "",
    finish: choice?.finish_reason ?? null,
    content: choice?.message.content ?? "",
  };
}

/** Somebody else's stories, one after the other until the test ends; `pieces` counts what came. */
function startNeighbour(app: TestApp): { readonly pieces: number } {
  const told = { pieces: 0 };
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
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) told.pieces += 1;
    }
  };
  const telling = tell().catch(() => undefined);
  onTestFinished(async () => {
    leaving.abort();
    await telling;
  });
  return told;
}

async function isAnswered(
  app: TestApp,
  { schema, fate, says = /./ }: Hostile,
  asTool: boolean,
): Promise<void> {
  const tries: Reply[] = [];
  while (tries.length < 3 && (tries.at(-1)?.ms ?? Infinity) > refusalMsMax)
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
  if (fate === "refused") expect(Math.min(...tries.map(({ ms }) => ms))).toBeLessThan(refusalMsMax);
}

describe.each([
  ["D1: a hostile pattern", patterns],
  ["D2: a hostile shape", shapes],
  ["D3: a hostile size", sizes],
])("%s", (_, list) => {
  it("is refused within a second, or served and held to, while a neighbour's stream goes on", async () => {
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
    "of a tool is refused all the same: $name",
    async (hostile) => {
      await isAnswered(shared(), hostile, true);
    },
  );

  it("with a reference to a web address is refused, and nobody is asked for it", async () => {
    let asked = 0;
    const web = createServer((_, response) => {
      asked += 1;
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
    expect(asked).toBe(0);
  });
});

/** A thread that is ready, and then does this with every schema. */
function threadThat(does: string): URL {
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", (work) => { ${does} });
    parentPort.postMessage({ type: "ready" });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

describe("D4: reading a schema", () => {
  it("that would never end is refused within its time, and tokens come for others all the while", async () => {
    const app = await startApp({}, { schemaWorkerUrl: threadThat("for (;;);") });
    const neighbour = startNeighbour(app);
    await until(() => neighbour.pieces > 0);
    for (const round of [1, 2]) {
      const seen = neighbour.pieces;
      const reply = await ask(app, { type: "string", title: `${round}` });
      expect(reply).toMatchObject({ status: 400, code: "invalid_schema" });
      expect(Number(/longer than (\d+) ms/.exec(reply.message)?.[1])).toBeLessThan(refusalMsMax);
      expect(neighbour.pieces - seen).toBeGreaterThan(5);
    }
  });

  it("that takes all the memory there is for it is refused, and the server goes on", async () => {
    const hoard = "const all = []; for (;;) all.push(new Array(1e5).fill(work.schema.title + all.length));";
    const app = await startApp({}, { schemaWorkerUrl: threadThat(hoard) });
    const reply = await ask(app, { type: "string", title: "x" });
    expect(reply).toMatchObject({ status: 400, code: "invalid_schema" });
    expect(reply.message).toMatch(/memory|longer than/);
    expect(first(await whole(app)).finish).toBe("stop");
  });

  it("is done once: the same schema again costs nothing, refused or not", async () => {
    const counted = "globalThis.n = (globalThis.n ?? 0) + 1;";
    const refuse = `parentPort.postMessage({ type: "refused", message: "read " + n, keyword: null, pointer: "" });`;
    const app = await startApp({}, { schemaWorkerUrl: threadThat(counted + refuse) });
    const replies = [
      await ask(app, { title: "a" }),
      await ask(app, { title: "a" }),
      await ask(app, { title: "b" }),
    ];
    expect(replies.map(({ message }) => message)).toEqual([1, 1, 2].map((n) => `Invalid schema: read ${n}`));
  });
});

describe("D5: a grammar that the engine cannot take", () => {
  it.each([
    ["does not parse", `new Map([["s", "(((("]])`],
    ["names a rule that there is not", `new Map([["s", "missing"]])`],
    ["begins with itself", `new Map([["s", 's "a" | "b"']])`],
  ])("because it %s fails the answer, which is never free text instead", async (_, rules) => {
    const made = `{ rules: ${rules}, root: "s", exact: true }`;
    const thread = threadThat(
      `parentPort.postMessage(work.type === "convert" ? { type: "converted", converted: ${made} } : { type: "checked", wrong: null });`,
    );
    const app = await startApp({}, { schemaWorkerUrl: thread });
    for (const asTool of [false, true]) {
      const reply = await ask(app, { type: "object" }, "", asTool);
      expect(reply).toMatchObject({ status: 500, content: "", finish: null });
    }
    expect(first(await whole(app)).finish).toBe("stop");
  });
});

describe("D6: a model that wants nothing but white space", () => {
  it("comes to the end of its JSON all the same", async () => {
    const app = shared();
    const tokens = await Promise.all(["Ġ", "Ċ"].map(tokenCalled));
    const schema = {
      type: "object",
      properties: { a: { type: "boolean" }, b: { type: "array", items: { type: "null" }, maxItems: 3 } },
      required: ["a", "b"],
    };
    const answer = await whole(app, {
      logit_bias: Object.fromEntries(tokens.map((token) => [token, 100])),
      max_tokens: 400,
      reasoning_effort: "none",
      response_format: { type: "json_schema", json_schema: { name: "it", schema } },
    });
    expect(first(answer).finish).toBe("stop");
    expect(JSON.parse(first(answer).content)).toMatchObject({ a: expect.any(Boolean) as boolean });
    expect(first(answer).content).toMatch(/\s/);
  });
});
