/** Small chat templates that refuse conversations in the ways of published ones. */

/** What a template refuses. */
export interface Strictness {
  /** A system message, like Gemma 2. */
  readonly system?: boolean;
  /** A system message that is not the first message, like Qwen 3.5. */
  readonly laterSystem?: boolean;
  /** Turns of user and assistant that do not alternate, from the user's on; calls and results do not count. Like Mistral Nemo. */
  readonly alternating?: boolean;
  /** A content that is null, like Command-R7B. */
  readonly nulls?: boolean;
  /** Definitions, calls and results, like Mistral 7B. */
  readonly tools?: boolean;
  /** A content that is a text, like templates for lists of parts only. */
  readonly texts?: boolean;
}

const refuse = (condition: string, reason: string): string =>
  `{% if ${condition} %}{{ raise_exception('${reason}') }}{% endif %}`;

const alternation =
  "{% set ns = namespace(index=0) %}{% for m in messages %}" +
  "{% if m.role == 'user' or m.role == 'assistant' and not m.tool_calls %}" +
  refuse("(m.role == 'user') != (ns.index % 2 == 0)", "roles must alternate") +
  "{% set ns.index = ns.index + 1 %}{% endif %}{% endfor %}";

/**
 * Returns a template in the ChatML form. Its calls are null beside no text, in the form of DeepSeek, where it refuses null.
 * @param control texts that begin and end a message
 */
export function strictTemplate(strictness: Strictness, control = ["<|im_start|>", "<|im_end|>"]): string {
  const { system, laterSystem, alternating, nulls, tools, texts } = strictness;
  const [open = "", close = ""] = control;
  const sign = nulls === true ? "{# <｜tool▁call▁begin｜> ```json #}" : "{# <tool_call> #}";
  return [
    sign,
    tools === true ? refuse("tools", "no tools") : "{% if tools %}{{ tools | tojson }}{% endif %}",
    alternating === true ? alternation : "",
    "{% for m in messages %}",
    system === true ? refuse("m.role == 'system'", "no system messages") : "",
    laterSystem === true ? refuse("m.role == 'system' and not loop.first", "the system comes first") : "",
    nulls === true ? refuse("m.content is none", "no content") : "",
    tools === true ? refuse("m.role == 'tool' or m.tool_calls", "no calls") : "",
    texts === true ? refuse("m.content is string", "no texts") : "",
    `${open}{{ m.role }}\n`,
    texts === true
      ? "{% for part in m.content %}{{ part.text }}{% endfor %}"
      : "{% if m.content is not none %}{{ m.content }}{% endif %}",
    "{% if m.tool_calls %}{% for call in m.tool_calls %}{{ call.function | tojson }}{% endfor %}{% endif %}",
    `${close}\n{% endfor %}${open}assistant`,
  ].join("");
}
