/** Chat templates, one for each style of calls, and how the template writes two calls after a text. */
import { sharedMarkStyles } from "./shared-mark-styles.js";
import { brackets, each, json, line, members, templateOf, verbatim, type Style } from "./style-parts.js";

export const styles: Readonly<Record<string, Style>> = {
  "an object between tags": {
    template: templateOf(each("\n<call>\n" + json + "\n</call>")),
    example: '<call>\n{"name": "NAME", "arguments": {"key": "value"}}\n</call>',
  },
  "a list of objects after a mark": {
    template: templateOf("[CALLS][" + each(json, ", ") + "]"),
    example: '[CALLS][{"name": "NAME", "arguments": {"key": "value"}}]',
  },
  "a list of objects without marks": {
    template: templateOf("[" + each(json, ", ") + "]"),
    example: '[{"name": "NAME", "arguments": {"key": "value"}}]',
  },
  "one object that is the whole answer": {
    template: templateOf(
      "{%- if m.tool_calls | length > 1 -%}{{ raise_exception('one call only') }}{%- endif -%}" +
        each('{{ \'{\' }}"name": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}{{ \'}\' }}'),
    ),
    example: '{"name": "NAME", "parameters": {"key": "value"}}',
  },
  "objects on lines of one section": {
    template: templateOf("\n<calls>" + line + each(json + line) + "</calls>"),
    example: '<calls>\n{"name": "NAME", "arguments": {"key": "value"}}\n</calls>',
  },
  "the whole call as JSON": {
    template: templateOf(each("<|call|>{{ c | tojson }}<|/call|>")),
    example: '<|call|>{"function": {"name": "NAME", "arguments": {"key": "value"}}}<|/call|>',
  },
  "a number of the call in the object": {
    template: templateOf(
      "<|CALLS|>[" +
        each(
          '{{ \'{\' }}"call_id": "{{ loop.index0 }}", "tool": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}{{ \'}\' }}',
          ",\\n",
        ) +
        "]<|/CALLS|>",
    ),
    example: '<|CALLS|>[{"tool": "NAME", "parameters": {"key": "value"}}]<|/CALLS|>',
  },
  "the arguments before the name": {
    template: templateOf(
      each(
        '<call>{{ \'{\' }}"arguments": {{ f.arguments | tojson }}, "name": "{{ f.name }}"{{ \'}\' }}</call>',
      ),
    ),
    example: '<call>{"arguments": {"key": "value"}, "name": "NAME"}</call>',
  },
  "the name as a key": {
    template: templateOf(
      "<|calls|>[" +
        each("{{ '{' }}\"{{ f.name }}\": {{ f.arguments | tojson }}{{ '}' }}", ", ") +
        "]<|/calls|>",
    ),
    example: '<|calls|>[{"NAME": {"key": "value"}}]<|/calls|>',
  },
  "a name and an object": {
    template: templateOf(each("[CALL]{{ f.name }}[ARGS]{{ f.arguments | tojson }}")),
    example: '[CALL]NAME[ARGS]{"key": "value"}',
  },
  "a name, its id and an object": {
    template: templateOf(each("[CALL]{{ f.name }}[ID]{{ c.id }}[ARGS]{{ f.arguments | tojson }}")),
    example: '[CALL]NAME[ARGS]{"key": "value"}',
  },
  "an id that contains the name": {
    template: templateOf(
      "<|calls|>" + each("<|call|>{{ c.id }}<|args|>{{ f.arguments | tojson }}<|end|>") + "<|/calls|>",
    ),
    example: '<|calls|><|call|>functions.NAME<|args|>{"key": "value"}<|end|><|/calls|>',
  },
  "arguments that it gets as a text": {
    template: templateOf(
      "<｜calls▁begin｜>" +
        each(
          "{{ '<｜call▁begin｜>function<｜sep｜>' + f.name + '\\n```json\\n' + f.arguments + '\\n```<｜call▁end｜>' }}",
          "\\n",
        ) +
        "<｜calls▁end｜>",
    ),
    example:
      '<｜calls▁begin｜><｜call▁begin｜>function<｜sep｜>NAME\n```json\n{"key": "value"}\n```<｜call▁end｜><｜calls▁end｜>',
  },
  "a server, a name and an object in tags": {
    template: templateOf(
      each(
        "\n<use_tool>\n<server>main</server>\n<tool>{{ f.name }}</tool>\n<arguments>\n{{ f.arguments | tojson }}\n</arguments>\n</use_tool>",
      ),
    ),
    example:
      '<use_tool>\n<server>main</server>\n<tool>NAME</tool>\n<arguments>\n{"key": "value"}\n</arguments>\n</use_tool>',
  },
  "tags with padded values": {
    template: templateOf(
      each(
        "\n<call>\n<function={{ f.name }}>" +
          line +
          members(`<parameter={{ k }}>\n${verbatim}\n</parameter>${line}`) +
          "</function>\n</call>",
      ),
    ),
    example: "<call>\n<function=NAME>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</call>",
  },
  "tags whose values are of Python": {
    template: templateOf(
      each("<f:call><f:name={{ f.name }}>" + members("<f:p={{ k }}>{{ v }}</f:p>") + "</f:call>"),
    ),
    example: "<f:call><f:name=NAME><f:p=key>value</f:p></f:call>",
  },
  "tags whose texts may have marks of their own": {
    template: templateOf(
      each(
        "<fn={{ f.name }}>" +
          members(
            `<p={{ k }}>{{ '<![CDATA[' ~ v ~ ']]>' if v is string and ('<' in v or '\\n' in v) else ${verbatim.slice(3, -3)} }}</p>`,
          ) +
          "</fn>",
      ),
    ),
    example: "<fn=NAME><p=key>value</p></fn>",
  },
  "a mark after the last call": {
    template: templateOf(each("<|call>" + json + "<call|>") + "<|results>"),
    example: '<|call>{"name": "NAME", "arguments": {"key": "value"}}<call|>',
  },
  "tags that show the type": {
    template: templateOf(
      "\n\n<｜X｜calls>" +
        line +
        each(
          '<｜X｜invoke name="{{ f.name }}">' +
            line +
            members(
              `<｜X｜parameter name="{{ k }}" string="{{ 'true' if v is string else 'false' }}">${verbatim}</｜X｜parameter>${line}`,
            ) +
            "</｜X｜invoke>" +
            line,
        ) +
        "</｜X｜calls>",
    ),
    example:
      '<｜X｜calls>\n<｜X｜invoke name="NAME">\n<｜X｜parameter name="key" string="true">value</｜X｜parameter>\n</｜X｜invoke>\n</｜X｜calls>',
  },
  "tags for keys and values": {
    template: templateOf(
      each("<call>{{ f.name }}" + members(`<key>{{ k }}</key><value>${verbatim}</value>`) + "</call>"),
    ),
    example: "<call>NAME<key>key</key><value>value</value></call>",
  },
  "a list of Python between marks": {
    template: templateOf(
      "<|call_start|>[" +
        each("{{ f.name }}(" + members("{{ k }}={{ v | tojson }}", ", ") + ")", ", ") +
        "]<|call_end|>",
    ),
    example: '<|call_start|>[NAME(key="value")]<|call_end|>',
  },
  "a list of Python without marks": {
    template: templateOf(
      "[" + each("{{ f.name }}(" + members("{{ k }}={{ v | tojson }}", ", ") + ")", ", ") + "]",
    ),
    example: '[NAME(key="value")]',
  },
  "lines of Python whose texts have no escapes": {
    template: templateOf(
      "<calls>" +
        line +
        each(
          "{{ f.name }}(" +
            members("{{ k }}={{ '\"' ~ v ~ '\"' if v is string else v | tojson }}", ", ") +
            ")",
          "\\n",
        ) +
        line +
        "</calls>",
    ),
    example: '<calls>\nNAME(key="value")\n</calls>',
  },
  "a list of Python whose texts have single quotes and no escapes": {
    template: templateOf(
      "<|calls|>[" +
        each(
          "{{ f.name }}(" +
            members('{{ k }}={{ "\'" ~ v ~ "\'" if v is string else v | tojson }}', ", ") +
            ")",
          ", ",
        ) +
        "]<|/calls|>",
    ),
    example: "<|calls|>[NAME(key='value')]<|/calls|>",
  },
  "braces with marks around texts": {
    template:
      brackets +
      templateOf(
        each(
          "<|call>call:{{ f.name }}{{ '{' }}" + members("{{ k }}:{{ write(v) }}", ",") + "{{ '}' }}<call|>",
        ),
      ),
    example: "<|call>call:NAME{key:<|q|>value<|q|>}<call|>",
  },
  "an id and a name in one tag": {
    template: templateOf(each('<call id="{{ c.id }}" name="{{ f.name }}">{{ f.arguments | tojson }}</call>')),
    example: '<call id="0" name="NAME">{"key": "value"}</call>',
  },
  "a name on a line of its own": {
    template: templateOf(each("<|tool|>{{ f.name }}" + line + "{{ f.arguments | tojson }}<|/tool|>")),
    example: '<|tool|>NAME\n{"key": "value"}<|/tool|>',
  },
  "a word before the list": {
    template: templateOf(" toolcalls[" + each(json, ", ") + "]"),
    example: 'toolcalls[{"name": "NAME", "arguments": {"key": "value"}}]',
  },
  "tags with JSON values": {
    template: templateOf(each("<fn={{ f.name }}>" + members("<p={{ k }}>{{ v | tojson }}</p>") + "</fn>")),
    example: '<fn=NAME><p=key>"value"</p></fn>',
  },
  "tags with the name of the type and the number of the call": {
    template: templateOf(
      "<calls>" +
        line +
        each(
          '<call tool="{{ f.name }}" index="{{ loop.index }}">' +
            line +
            members(
              `<argument key="{{ k }}" type="{{ 'string' if v is string else 'object' if v is mapping else 'boolean' if v is boolean else 'number' if v is number else 'array' }}">${verbatim}</argument>${line}`,
            ) +
            "</call>" +
            line,
        ) +
        "</calls>",
    ),
    example:
      '<calls>\n<call tool="NAME">\n<argument key="key" type="string">value</argument>\n</call>\n</calls>',
  },
  ...sharedMarkStyles,
};
