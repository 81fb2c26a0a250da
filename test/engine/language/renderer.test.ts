import { execFileSync } from "node:child_process";
import { getPriority } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TemplateBudget } from "../../../src/engine/language/renderer/protocol.js";
import { JinjaTemplate } from "../../../src/template/jinja.js";
import { templateRenderers, type TemplateRenderer } from "../../../src/engine/language/renderer/renderer.js";
import { createManualClock } from "../../kit/manual-clock.js";

const clock = createManualClock(0);
const deps = {
  clock,
  workerUrl: new URL("../../../dist/engine/language/renderer/worker.js", import.meta.url),
  // Small, so that it is soon full.
  memoryMbMax: 64,
  log: () => undefined,
};
const unlimited = { stepsMax: 1e12, cpuMsMax: 1e9, renderMsMax: 1e9, textLengthMax: 1e9 };

function renderer(template: string, budget?: TemplateBudget): TemplateRenderer {
  const opened = templateRenderers(budget === undefined ? deps : { ...deps, budget })(template);
  onTestFinished(() => opened.close());
  return opened;
}

/** Returns the nice values of the processes that render for this one. */
function renderingPriorities(): readonly number[] {
  const lines = execFileSync("ps", ["-A", "-o", "ppid=,ni=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [parent, nice, state = "Z", ...args] = line.trim().split(/\s+/);
    const isRenderer = Number(parent) === process.pid && args.join(" ").includes("renderer/worker.js");
    return isRenderer && !state.startsWith("Z") ? [Number(nice)] : [];
  });
}

/** Applies an assignment to the variable `x` many times. */
const repeated = (start: string, times: number, step: string): string =>
  `{% set n = namespace(x=${start}) %}{% for i in range(${times}) %}{% set n.x = ${step} %}{% endfor %}`;
const doubledList = repeated("['x','x']", 28, "[n.x, n.x]");
/** Uses more steps than a rendering in the calling thread may. */
const long = "{{ '' if range(30000) | list else '' }}";
const doubledText = repeated("'aaaaaaaa'", 27, "n.x ~ n.x");

describe("a template within its budget", () => {
  const budget = { stepsMax: 1_000, cpuMsMax: 1_000, textLengthMax: 1_000 };
  const render = (source: string, cpuMs = (): number => 0): unknown =>
    new JinjaTemplate(source, { cpuMs, nowMs: () => 0 }).render({ words: ["a", "b"] }, budget);

  it.each([
    ["{% for w in words %}{{ loop.index }}{{ w }} {% endfor %}", "1a 2b "],
    ["{{ range(3) | list }}{{ range(5, 1, -2) | join('') }}{{ range(2, 2) | length }}", "[0, 1, 2]530"],
    ["{% if True and not False and none is none %}\nyes\n{% endif %}", "yes\n"],
    ["{{ strftime_now('%Y') | length }}", "4"],
  ])("renders %s", (source, text) => {
    expect(render(source)).toEqual({ type: "text", text });
  });

  it.each([
    ["{{ raise_exception('roles must alternate') }}", "roles must alternate"],
    ["{{ range(1, 2, 0) }}", "range() step must not be zero"],
  ])("is rejected with its own message: %s", (source, reason) => {
    expect(render(source)).toEqual({ type: "rejected", reason });
  });

  it("is rejected without a message of JavaScript itself", () => {
    const longSum = `{{ ${"1 + ".repeat(50_000)}1 }}`;
    expect(new JinjaTemplate(longSum, { cpuMs: () => 0, nowMs: () => 0 }).render({}, unlimited)).toEqual({
      type: "rejected",
      reason: "it is nested too deeply, or has a value of an unexpected type",
    });
  });

  it.each([
    ["{{", "it is cut off inside a tag"],
    ["{{ 'a' |", "it is cut off inside a tag"],
    ["{{ 'a' | }}", "expected a name, got output-end"],
    ["{% if a %}", "expected 'elif' or 'else' or 'endif', got end of template"],
    ["{{ a b }}", "expected end of print statement, got 'b'"],
    [`{{ ${"(".repeat(100_000)}${")".repeat(100_000)} }}`, "it is cut off, or nested too deeply"],
  ])("is invalid without one: %.10s", (source, reason) => {
    expect(() => render(source)).toThrow(new Error(reason));
  });

  it.each([
    ["C9", "{% for i in range(1000000000) %}x{% endfor %}", "needs more than 1,000 steps"],
    ["C10", "{{ range(50000000)|list|length }}", "needs more than 1,000 steps"],
    [
      "C10",
      "{% for a in range(99) %}{% for b in range(99) %}{% for c in range(99) %}x{% endfor %}{% endfor %}{% endfor %}",
      "needs more than 1,000 steps",
    ],
    ["C10", `${doubledText}{{ n.x }}`, "makes a text of more than 1,000 characters"],
    ["C10", `${doubledList}{{ n.x | string | length }}`, "makes a text of more than 1,000 characters"],
    ["C10", "{{ 'a' * 100000 }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ [1] * 100000 }}", "needs more than 1,000 steps"],
    ["C10", "{{ 'a'.center(100000) }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ '%100000d' % 1 }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ '{:100000}'.format(1) }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ 'a\\n\\nb' | indent(100000, blank=true) }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ ('a' * 900).replace('', 'bb') }}", "makes a text of more than 1,000 characters"],
    ["C10", "{{ [1] | batch(100000, 0) | list }}", "needs more than 1,000 steps"],
    [
      "C10",
      "{% set l = [1] %}{% for i in range(20) %}{{ l.extend(l) }}{% endfor %}",
      "needs more than 1,000 steps",
    ],
  ])("%s: ends when it exceeds its budget: %s", (_, source, limit) => {
    expect(render(source)).toEqual({ type: "exceeded", limit });
  });

  it("C10: ends when it exceeds its CPU time", () => {
    let now = 0;
    const long = new JinjaTemplate("{% for i in range(900) %}{{ '' and i }}{% endfor %}".repeat(9), {
      cpuMs: () => (now += 600),
      nowMs: () => 0,
    });
    expect(long.render({}, { ...budget, stepsMax: 1_000_000 })).toEqual({
      type: "exceeded",
      limit: "needs more than 1,000 ms",
    });
  });
});

describe("a process that renders", () => {
  it.each([
    ["a text", `${repeated("'a'", 40, "n.x | replace('a', 'aaaa')")}{{ n.x }}`],
    ["a range", "{{ range(1000000000) | length }}"],
  ])("C9, C10: ends alone when %s does not fit its memory, each time anew", async (_, template) => {
    const tested = renderer(template, unlimited);
    const exceeded = { type: "exceeded", limit: "needs too much memory" };
    const [first, second] = [tested.render({}), tested.render({})];
    expect(await first).toEqual(exceeded);
    await clock.whenWaiting(1_000);
    clock.advance(1_000);
    expect(await second).toEqual(exceeded);
  });

  it("C10: refuses within its own time what one operation of the library would take minutes for", async () => {
    const tested = renderer(`${doubledList}{{ n.x | tojson }}`, { ...unlimited, renderMsMax: 50 });
    expect(await tested.render({})).toEqual({ type: "exceeded", limit: "needs more than 50 ms" });
  });

  it("C10: answers when a macro calls itself without end", async () => {
    const tested = renderer("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
    expect((await tested.render({})).type).toBe("rejected");
  });

  it("C10: is killed when it takes too long, and the next rendering has a new one", async () => {
    const tested = renderer(`${long}{% if slow %}${doubledList}{{ n.x | tojson }}{% endif %}done`, unlimited);
    const done = { type: "text", text: "done" };
    expect(await tested.render({ slow: false })).toEqual(done);
    const slow = tested.render({ slow: true });
    const next = tested.render({ slow: false });
    await clock.whenWaiting(15_000);
    clock.advance(15_000);
    expect(await slow).toEqual({ type: "exceeded", limit: "needs more than 15 s" });
    await clock.whenWaiting(1_000);
    clock.advance(1_000);
    expect(await next).toEqual(done);
  });

  it("C10: has a low priority, and its successor too, once a rendering takes longer than ordinary ones", async () => {
    const others = renderingPriorities().length;
    const tested = renderer(`${long}{% if slow %}${doubledList}{{ n.x | tojson }}{% endif %}done`, unlimited);
    await tested.render({ slow: false });
    expect(renderingPriorities().slice(others)).toEqual([getPriority()]);
    const slow = tested.render({ slow: true });
    await clock.whenWaiting(200);
    clock.advance(200);
    expect(renderingPriorities().slice(others)).toEqual([getPriority() + 10]);
    clock.advance(15_000);
    expect((await slow).type).toBe("exceeded");
    await clock.whenWaiting(1_000);
    clock.advance(1_000);
    await tested.render({ slow: false });
    expect(renderingPriorities().slice(others)).toEqual([getPriority() + 10]);
  });

  it("is started only for what needs more than an ordinary conversation", async () => {
    const others = renderingPriorities().length;
    const tested = renderer(
      `{% for m in messages %}{{ m }}{% if m == 'long' %}${long}{% endif %}{% endfor %}`,
    );
    const messages = Array.from({ length: 2_000 }, () => "a");
    expect(await tested.render({ messages })).toEqual({ type: "text", text: "a".repeat(2_000) });
    expect(renderingPriorities()).toHaveLength(others);
    expect(await tested.render({ messages: ["long"] })).toEqual({ type: "text", text: "long" });
    expect(renderingPriorities()).toHaveLength(others + 1);
  });

  it("never gives what exceeds the budget, however small that is", async () => {
    const tested = renderer("{{ 'ab' * 3 }}", { ...unlimited, textLengthMax: 5 });
    expect(await tested.render({})).toEqual({
      type: "exceeded",
      limit: "makes a text of more than 5 characters",
    });
  });

  it("reports a template that is not valid", async () => {
    expect(await renderer("{% for %}").render({})).toMatchObject({ type: "invalid" });
  });

  it("keeps every character of the text, also of lone surrogates", async () => {
    const text = "\ud800 \u{1f600} \u0000 __proto__";
    for (const work of ["", long]) {
      const tested = renderer(`${work}{{ text }}{{ object.__proto__ }}`);
      expect(await tested.render({ text, object: JSON.parse('{"__proto__": "own"}') as object })).toEqual({
        type: "text",
        text: `${text}own`,
      });
    }
  });
});
