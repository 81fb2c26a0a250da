"""Whether an answer is what an item expects: the rules of scripts/train/eval-builtin/grade.ts, for a quick look without a server."""
import json
import re

NUMBER_WORDS = "zero one two three four five six seven eight nine ten".split()


def parse(text):
    """(thought, content, tool calls) as the server would split them."""
    thought, calls = "", []
    if m := re.match(r"\s*<think>(.*?)(</think>|$)", text, re.S):
        thought, text = m.group(1).strip(), text[m.end():]
    for m in re.finditer(r"<tool_call>(.*?)</tool_call>", text, re.S):
        calls.append(parsed(m.group(1)))
    return thought, re.sub(r"<tool_call>.*?(</tool_call>|$)", "", text, flags=re.S).strip(), calls


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def said(content, text):
    """As whole words."""
    return re.search(rf"(?<![^\W_]){re.escape(text)}(?![^\W_])", content, re.I) is not None


def numbers_in(text):
    digits = re.findall(r"\d+(?:\.\d+)?", text)
    return [float(d) for d in digits] if digits else [float(NUMBER_WORDS.index(w)) for w in re.findall("[a-z]+", text.lower()) if w in NUMBER_WORDS]


def as_list(value):
    return [value] if isinstance(value, str) else value or []


def right_words(content, expect):
    exact = content[1:-1].strip() if re.fullmatch(r"(?s)\".*\"|'.*'", content) else content
    low = content.lower()
    return all([
        "exact" not in expect or exact == expect["exact"].strip(),
        all(t.lower() in low for t in as_list(expect.get("contains"))),
        all(said(content, t) for t in as_list(expect.get("words"))),
        "anyOf" not in expect or any(said(content, t) for t in as_list(expect["anyOf"])),
        not any(said(content, t) for t in as_list(expect.get("without"))),
        "json" not in expect or parsed(content) == expect["json"],
    ])


def right_numbers(content, expect, asked):
    found = numbers_in(content)
    if "number" in expect and not (expect["number"] in found and set(found) <= {expect["number"], *numbers_in(asked)}):
        return False
    return "firstNumber" not in expect or (bool(found) and found[0] == expect["firstNumber"])


def right_calls(calls, wanted):
    left = list(calls)
    for call in wanted or []:
        at = next((i for i, c in enumerate(left) if c and c.get("name") == call["name"] and ("arguments" not in call or c.get("arguments") == call["arguments"])), None)
        if at is None:
            return False
        left.pop(at)
    return not left


def right(item, text, ended):
    """True when every rule of the item's `expect` holds."""
    expect = item["expect"]
    thought, content, calls = parse(text)
    asked = [m["content"] for m in item["messages"] if m["role"] == "user"][-1]
    if "ends" in expect and expect["ends"] != ended or "thinks" in expect and expect["thinks"] != bool(thought):
        return False
    if not content and not calls:
        return False
    return right_words(content, expect) and right_numbers(content, expect, asked) and right_calls(calls, expect.get("toolCalls"))
