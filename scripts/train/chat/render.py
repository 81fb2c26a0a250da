"""The chat template in Python, character for character what template.jinja renders, and its tokens as the server feeds them."""
import json
import re

from bpe import SPECIALS

MARK = "\ue000"  # stands for a special text that a person wrote, or for itself
SPECIAL = re.compile("|".join(map(re.escape, [*SPECIALS, MARK])))


def compact(value):
    """JSON as the template's `tojson` writes it."""
    return json.dumps(value, ensure_ascii=False)


def body(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def call_text(call):
    """A tool call as the model writes it and as the template writes it again in the next turn."""
    function = call.get("function") or call
    arguments = function["arguments"]
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    return '<tool_call>\n{"name": "' + function["name"] + '", "arguments": ' + compact(arguments) + "}\n</tool_call>"


def tool_text(tool):
    """A definition as the server hands it to the template."""
    f = tool["function"]
    parameters = f.get("parameters") or {"type": "object", "properties": {}}
    function = {"name": f["name"], **({"description": f["description"]} if "description" in f else {}), "parameters": parameters}
    return compact({"type": "function", "function": function})


def system_role(message):
    return message["role"] in ("system", "developer")


def assistant_text(message):
    text = body(message.get("content"))
    return "\n".join(([text] if text else []) + [call_text(c) for c in message.get("tool_calls") or []])


def render(messages, tools=None, think=False):
    """The prompt as a list of texts; those at odd places are a person's or a model's own words."""
    out = [""]

    def put(own, *written):
        out[-1] += own
        for w in written:
            out.extend([w, ""])

    if tools:
        put("<|im_start|>system\n")
        if messages and system_role(messages[0]):
            put("", body(messages[0]["content"]))
            put("\n\n")
        put("<tools>\n")
        for tool in tools:
            put("", tool_text(tool))
            put("\n")
        put("</tools><|im_end|>\n")
    for i, m in enumerate(messages):
        role = m["role"]
        if system_role(m):
            if not (tools and i == 0):
                put("<|im_start|>system\n", body(m["content"]))
                put("<|im_end|>\n")
        elif role == "tool":
            first = i == 0 or messages[i - 1]["role"] != "tool"
            last = i + 1 == len(messages) or messages[i + 1]["role"] != "tool"
            put(("<|im_start|>user" if first else "") + "\n<tool_response>\n", body(m["content"]))
            put("\n</tool_response>" + ("<|im_end|>\n" if last else ""))
        elif role == "assistant" and m.get("tool_calls"):
            put("<|im_start|>assistant\n" + assistant_text(m) + "<|im_end|>\n")
        else:
            put(f"<|im_start|>{role}\n", body(m.get("content")))
            put("<|im_end|>\n")
    put("<|im_start|>assistant\n" + ("" if think else "<think>\n\n</think>\n\n"))
    return out


def prompt_text(messages, tools=None, think=False):
    return "".join(render(messages, tools, think))


def prompt_ids(tokenizer, messages, tools=None, think=False):
    """The ids the server feeds: all in one go, but special texts that somebody wrote are plain text."""
    parts = render(messages, tools, think)
    if not any(SPECIAL.search(p) for p in parts[1::2]):
        return tokenizer.encode("".join(parts))
    hidden = []

    def hide(match):
        hidden.append(match.group())
        return MARK

    text = "".join(SPECIAL.sub(hide, p) if i % 2 else p for i, p in enumerate(parts))
    ids = []
    for i, part in enumerate(text.split(MARK)):
        ids += (tokenizer.encode_written(hidden[i - 1]) if i else []) + tokenizer.encode(part)
    return ids


def reply_text(sample, think):
    """What the assistant is to write, without the end token."""
    head = f"<think>\n{sample['thought']}\n</think>\n\n" if think else ""
    calls = [call_text(c) for c in sample.get("calls", [])]
    return head + "\n".join(([sample["reply"]] if sample["reply"] else []) + calls)
