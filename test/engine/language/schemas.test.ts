import { describe, expect, it } from "vitest";
import type { CompiledSchema, Schemas } from "../../../src/core/schemas.js";
import { createSchemas, type SchemaWorker } from "../../../src/engine/language/schemas/schemas.js";
import type {
  ConvertOutcome,
  SchemaReplies,
  SchemaRequest,
} from "../../../src/engine/language/schemas/protocol.js";
import { WorkerLostError } from "../../../src/engine/worker/client-options.js";
import { createManualClock } from "../../kit/manual-clock.js";

/** A conversion in progress, which the test ends. */
interface Held {
  readonly name: string;
  end(outcome?: ConvertOutcome): void;
  lose(): void;
}

/** The compiler with threads whose conversions end when the test says so; checks end at once. */
function heldSchemas(): { readonly schemas: Schemas; readonly converting: Held[] } {
  const converting: Held[] = [];
  const convert = (schema: string): Promise<ConvertOutcome> =>
    new Promise((resolve, reject) => {
      const rules = new Map([["root", '"1"']]);
      converting.push({
        name: (JSON.parse(schema) as { readonly title: string }).title,
        end: (outcome = { type: "converted", converted: { rules, root: "root", exact: true } }) =>
          resolve(outcome),
        lose: () => reject(new WorkerLostError("timeout", new Error("busy"))),
      });
    });
  const worker: SchemaWorker = {
    call: <R extends SchemaRequest>(request: R) =>
      (request.type === "convert"
        ? convert(request.written)
        : Promise.resolve({ type: "checked", problem: null })) as Promise<SchemaReplies[R["type"]]>,
    close: () => Promise.resolve(),
  };
  const schemas = createSchemas({
    clock: createManualClock(0),
    closed: true,
    workerUrl: new URL("file:///none"),
    log: () => undefined,
    startWorker: () => worker,
  });
  return { schemas, converting };
}

function compile(schemas: Schemas, teamId: string, title: string): Promise<CompiledSchema> {
  return schemas.compile({ title }, { param: "response_format", teamId });
}

/** Lets the promises that are settled run their continuations. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("the compiler of schemas", () => {
  it("D11: twenty schemas of one team delay a schema of another team by one conversion, and cached schemas and checks not at all", async () => {
    const { schemas, converting } = heldSchemas();
    const first = compile(schemas, "b", "cached");
    await settled();
    converting.shift()?.end();
    const cached = await first;
    const costly = Array.from({ length: 20 }, (_, nth) => compile(schemas, "a", `costly ${nth}`));
    const fresh = compile(schemas, "b", "fresh");
    await settled();
    expect(converting.map(({ name }) => name)).toEqual(["costly 0"]);
    expect(await (await compile(schemas, "b", "cached")).check("1")).toBeNull();
    expect(await cached.check("1")).toBeNull();
    converting[0]?.end();
    await settled();
    expect(converting.map(({ name }) => name)).toEqual(["costly 0", "fresh"]);
    converting[1]?.end();
    await fresh;
    for (let at = 2; at <= 20; at += 1) {
      await settled();
      converting[at]?.end();
    }
    await Promise.all(costly);
    expect(converting).toHaveLength(21);
  });

  it("D11: a schema that two teams ask for is converted once, at the turn of the first of them", async () => {
    const { schemas, converting } = heldSchemas();
    const before = [compile(schemas, "a", "0"), compile(schemas, "a", "1"), compile(schemas, "a", "same")];
    const same = compile(schemas, "b", "same");
    for (let at = 0; at < 3; at += 1) {
      await settled();
      converting[at]?.end();
    }
    await Promise.all([same, ...before]);
    expect(converting.map(({ name }) => name)).toEqual(["0", "same", "1"]);
  });

  it("D12: a thread that ran out of time is not the schema's fault: 503, and the schema is converted when it comes again", async () => {
    const { schemas, converting } = heldSchemas();
    const lost = compile(schemas, "a", "slow").catch((thrown: unknown) => thrown);
    await settled();
    converting[0]?.lose();
    expect(await lost).toMatchObject({ kind: "overloaded", retryAfterSeconds: 5 });
    const again = compile(schemas, "a", "slow");
    await settled();
    converting[1]?.end();
    expect((await again).exact).toBe(true);
  });

  it("a team may have 200 schemas waiting; further ones are refused, and those of other teams are not", async () => {
    const { schemas, converting } = heldSchemas();
    const waiting = Array.from({ length: 201 }, (_, nth) => compile(schemas, "a", `${nth}`));
    await expect(compile(schemas, "a", "201")).rejects.toMatchObject({ kind: "overloaded" });
    const other = compile(schemas, "b", "other");
    for (let at = 0; at < 202; at += 1) {
      await settled();
      converting[at]?.end();
    }
    await Promise.all([other, ...waiting]);
    expect(converting[1]?.name).toBe("other");
  });
});
