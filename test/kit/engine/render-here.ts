import { JinjaTemplate } from "../../../src/template/jinja.js";
import type { OpenRenderer } from "../../../src/engine/language/renderer/renderer.js";

const budget = { stepsMax: 1_000_000, cpuMsMax: 1, textLengthMax: 64 * 1024 * 1024 };

/** Creates renderers that work in this process, for templates of tests. */
export const renderHere: OpenRenderer = (source) => {
  const template = new JinjaTemplate(source, { cpuMs: () => 0, nowMs: () => 0 });
  return {
    render: (variables) => Promise.resolve(template.render(variables, budget)),
    close: () => Promise.resolve(),
  };
};
