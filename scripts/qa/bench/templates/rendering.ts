/** Measures the rendering of an ordinary template with the server's bounds, and without them in the calling thread. */
import { systemClock } from "../../../../src/system/clock.js";
import { JinjaTemplate } from "../../../../src/template/jinja.js";
import {
  templateRenderers,
  type TemplateRenderer,
} from "../../../../src/engine/language/renderer/renderer.js";
import { quantile, timed, toRow, type Row } from "../../figures/table.js";

const times = 400;
const turns = { "of 3 messages": 3, "of 200 messages": 200 } as const;
const template =
  "{%- for message in messages -%}<|im_start|>{{ message.role }}\n{{ message.content | trim }}<|im_end|>\n{% endfor -%}" +
  "{%- if add_generation_prompt -%}<|im_start|>assistant\n{% endif -%}";
const budget = { stepsMax: 2_000_000, cpuMsMax: 3_000, textLengthMax: 64 * 1024 * 1024 };

export async function renderingRows(): Promise<readonly Row[]> {
  const renderer = templateRenderers({
    clock: systemClock,
    workerUrl: new URL("../../../../dist/engine/language/renderer/worker.js", import.meta.url),
    log: () => undefined,
  })(template);
  // The process of the templates does not keep this one alive.
  const alive = setInterval(() => undefined, 1000);
  try {
    const rows: Row[] = [];
    for (const [name, count] of Object.entries(turns)) rows.push(...(await compare(renderer, name, count)));
    return rows;
  } finally {
    await renderer.close();
    clearInterval(alive);
  }
}

/** Takes both ways in turns. */
async function compare(renderer: TemplateRenderer, name: string, count: number): Promise<readonly Row[]> {
  const here = new JinjaTemplate(template, { cpuMs: () => process.cpuUsage().user / 1000, nowMs: () => 0 });
  const messages = Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} says what a message of a chat says, in a sentence or two.`,
  }));
  const variables = { messages, add_generation_prompt: true };
  const taken = { server: [] as number[], unbounded: [] as number[] };
  for (let nth = 0; nth < times; nth += 1) {
    taken.server.push(await timed(() => renderer.render(variables)));
    taken.unbounded.push(await timed(() => Promise.resolve(here.render(variables, budget))));
  }
  const p50 = (samples: readonly number[]): string =>
    `${quantile(samples.slice(times / 10), 0.5).toFixed(2)} ms`;
  return [
    toRow(`rendering ${name} as the server does, p50`, p50(taken.server)),
    toRow(`rendering ${name} without its bounds, p50`, p50(taken.unbounded)),
  ];
}
