/** Parts of the chat templates of styles. */

/** What a template writes around the calls of a turn, and around each. */
export interface Style {
  readonly template: string;
  /** The derived example of a call. */
  readonly example: string;
}

export const turn = (role: string, content: string): string => `<|turn|>${role}\n${content}<|over|>\n`;

/** Returns a template whose turns with calls have the given text after their content. */
export function templateOf(calls: string): string {
  return (
    "{%- if tools %}<|turn|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<|over|>\n{% endif -%}" +
    "{%- for m in messages -%}" +
    "{%- if m.role == 'assistant' and m.tool_calls -%}<|turn|>assistant\n{{ m.content or '' }}" +
    calls +
    "<|over|>\n" +
    `{%- else -%}${turn("{{ m.role }}", "{{ m.content }}")}{%- endif -%}` +
    "{%- endfor -%}" +
    "{%- if add_generation_prompt -%}<|turn|>assistant\n{%- endif -%}"
  );
}

/** Returns the text of a loop over the calls; `f` is the function of a call. */
export const each = (call: string, between = ""): string =>
  "{%- for c in m.tool_calls -%}{%- set f = c.function -%}" +
  `${call}{%- if not loop.last -%}{{ '${between}' }}{%- endif -%}{%- endfor -%}`;

/** Returns the text of a loop over the arguments; `k` is the key and `v` the value. */
export const members = (text: string, between = ""): string =>
  "{%- for k, v in f.arguments.items() -%}" +
  `${text}{%- if not loop.last -%}{{ '${between}' }}{%- endif -%}{%- endfor -%}`;

/** The end of a line, where Jinja would leave it out. */
export const line = "{{ '\\n' }}";

export const json = '{{ \'{\' }}"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}{{ \'}\' }}';
export const verbatim = "{{ v if v is string else v | tojson }}";

/** Writes values in braces without quotes around keys, and strings between marks of their own. */
export const brackets =
  "{%- macro write(v) -%}{%- if v is string -%}<|q|>{{ v }}<|q|>" +
  "{%- elif v is boolean -%}{{ 'true' if v else 'false' }}{%- elif v is none -%}null" +
  "{%- elif v is mapping -%}{{ '{' }}{%- for k, x in v.items() -%}{{ k }}:{{ write(x) }}{{ ',' if not loop.last }}{%- endfor -%}{{ '}' }}" +
  "{%- elif v is iterable -%}[{%- for x in v -%}{{ write(x) }}{{ ',' if not loop.last }}{%- endfor -%}]" +
  "{%- else -%}{{ v }}{%- endif -%}{%- endmacro -%}";
