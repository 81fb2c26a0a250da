/** Styles of calls whose marks other parts of a turn share. */
import { each, members, templateOf, turn, verbatim, type Style } from "./style-parts.js";

const typeOf =
  "{{ 'string' if v is string else 'object' if v is mapping else 'boolean' if v is boolean else 'number' if v is number else 'array' }}";

/** The prompt ends with the mark before a call, which is also before a text. */
const afterPromptEnd =
  "{%- for tool in tools or [] -%}<|turn|>system{{ '\\n' }}{{ tool | tojson }}<|over|>{%- endfor -%}" +
  "{%- for m in messages -%}" +
  "{%- if m.role == 'assistant' -%}<|turn|>assistant{{ '\\n' }}" +
  "{%- if m.content -%}{{ '>>>everyone\\n' + m.content }}{%- endif -%}" +
  "{%- for c in m.tool_calls or [] -%}{{ '>>>' + c.function.name + '\\n' + c.function.arguments }}{%- endfor -%}<|over|>" +
  `{%- else -%}${turn("{{ m.role }}", "{{ m.content }}")}{%- endif -%}` +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{ '<|turn|>assistant\\n>>>' }}{%- endif -%}";

export const sharedMarkStyles: Readonly<Record<string, Style>> = {
  "tags of the marks that every part has": {
    template: templateOf(
      "<|close|>text<|sep|><|open|>calls<|sep|>" +
        each(
          '<|open|>call name="{{ f.name }}" index="{{ loop.index }}"<|sep|>' +
            members(`<|open|>arg key="{{ k }}" type="${typeOf}"<|sep|>${verbatim}<|close|>arg<|sep|>`) +
            "<|close|>call<|sep|>",
        ) +
        "<|close|>calls<|sep|>",
    ),
    example:
      '<|close|>text<|sep|><|open|>calls<|sep|><|open|>call name="NAME"<|sep|><|open|>arg key="key" type="string"<|sep|>value<|close|>arg<|sep|><|close|>call<|sep|><|close|>calls<|sep|>',
  },
  "tags that are called as the key": {
    template: templateOf(
      "]<]token[>[<calls>{{ '\\n' }}" +
        each(
          ']<]token[>[<call name="{{ f.name }}">' +
            members(`]<]token[>[<{{ k }}>${verbatim}]<]token[>[</{{ k }}>`) +
            "]<]token[>[</call>{{ '\\n' }}",
        ) +
        "]<]token[>[</calls>",
    ),
    example:
      ']<]token[>[<calls>\n]<]token[>[<call name="NAME">]<]token[>[<key>value]<]token[>[</key>]<]token[>[</call>\n]<]token[>[</calls>',
  },
  "a list of objects, and instructions in another turn after it": {
    template: templateOf(
      "\nAction:[" +
        each('{{ \'{\' }}"tool": "{{ f.name }}", "input": {{ f.arguments | tojson }}{{ \'}\' }}', ", ") +
        "]\n<|turn|>system{{ '\\n' }}Write 'Action:' and a list of calls.",
    ),
    example: 'Action:[{"tool": "NAME", "input": {"key": "value"}}]',
  },
  "a mark that prompts end with": {
    template: afterPromptEnd,
    example: '>>>NAME\n{"key": "value"}',
  },
};
