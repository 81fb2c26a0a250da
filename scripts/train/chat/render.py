"""The chat template in Python, character for character what template.jinja renders.

`prompt_ids` gives the token ids the server feeds: the template's own text with special tokens parsed,
everything a person wrote as plain text.
"""
import json


def compact(value):
    """JSON as the template's `tojson` writes it."""
    return json.dumps(value, ensure_ascii=False)


def body(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def call_text(call):
    function = call.get("function") or call
    arguments = function["arguments"]
    arguments = arguments if isinstance(arguments, str) else compact(arguments)
    return '<tool_call>\n{"name": "' + function["name"] + '", "arguments": ' + arguments + "}\n</tool_call>"


def system_role(message):
    return message["role"] in ("system", "developer")


def assistant_text(message):
    calls = [call_text(c) for c in message.get("tool_calls") or []]
    text = body(message.get("content"))
    return "\n".join(([text] if text else []) + calls)


def render(messages, tools=None, think=False):
    """The prompt as a list of (text, is the template's own)."""
    out = []
    if tools:
        out.append(("<|im_start|>system\n", True))
        if messages and system_role(messages[0]):
            out += [(body(messages[0]["content"]), False), ("\n\n", True)]
        out.append(("<tools>\n" + "".join(compact(t) + "\n" for t in tools) + "</tools><|im_end|>\n", True))
    for i, m in enumerate(messages):
        role = m["role"]
        if system_role(m):
            if not (tools and i == 0):
                out += [("<|im_start|>system\n", True), (body(m["content"]), False), ("<|im_end|>\n", True)]
        elif role == "tool":
            first = i == 0 or messages[i - 1]["role"] != "tool"
            last = i + 1 == len(messages) or messages[i + 1]["role"] != "tool"
            out.append((("<|im_start|>user" if first else "") + "\n<tool_response>\n", True))
            out += [(body(m["content"]), False), ("\n</tool_response>" + ("<|im_end|>\n" if last else ""), True)]
        else:
            text = assistant_text(m) if role == "assistant" else body(m["content"])
            own = role == "assistant" and bool(m.get("tool_calls"))
            out += [(f"<|im_start|>{role}\n", True), (text, own), ("<|im_end|>\n", True)]
    out.append(("<|im_start|>assistant\n" + ("" if think else "<think>\n\n</think>\n\n"), True))
    return out


def prompt_text(messages, tools=None, think=False):
    return "".join(text for text, _ in render(messages, tools, think))


def prompt_ids(tokenizer, messages, tools=None, think=False):
    """Neighbouring parts of the template are tokenised together, a person's text apart and as plain text."""
    ids, own = [], ""
    for text, is_own in render(messages, tools, think):
        if is_own:
            own += text
            continue
        ids += tokenizer.encode(own) + tokenizer.encode(text, specials=False)
        own = ""
    return ids + tokenizer.encode(own)


def reply_text(sample, think):
    """What the assistant is to write, without the end token."""
    head = f"<think>\n{sample['thought']}\n</think>\n\n" if think else ""
    return head + (call_text(sample["call"]) if sample.get("call") else sample["reply"])
