"""Which skills there are, how often each is drawn, which may stand before another, and how often tools stand by unused."""
from functools import lru_cache

from skills import choice, facts, fill_json, image, passage, recall, sums, talk, tools, unknown, words
from skills.story import story

SKILLS = {
    "greet": talk.greet, "smalltalk": talk.smalltalk, "identity": talk.identity, "sdk": talk.sdk,
    "recall": recall.recall, "not_told": recall.not_told, "tell": recall.tell,
    "arithmetic": sums.arithmetic, "how_many": sums.how_many, "count": sums.count, "choice": choice.choice,
    "words": words.words, "say": words.say, "facts": facts.fact, "story": story, "passage": passage.passage, "unknown": unknown.unknown,
    "image": image.image, "json": fill_json.fill_json,
    "tool_call": tools.tool_call, "tool_calls": tools.tool_calls, "tool_result": tools.tool_result, "tool_again": tools.tool_again,
    "tool_unfit": tools.tool_unfit,
}
MIX = {
    "greet": 8, "smalltalk": 5, "identity": 4, "sdk": 1.5, "recall": 7, "not_told": 1.2, "tell": 0.8, "arithmetic": 18, "how_many": 11, "count": 1, "choice": 16,
    "words": 24, "say": 1.5, "story": 0.6, "facts": 14, "passage": 15, "unknown": 5, "image": 10, "json": 18,
    "tool_call": 18, "tool_calls": 8, "tool_result": 2, "tool_again": 2, "tool_unfit": 3,
}
# The share of a skill's samples in which tools stand by that it does not need.
PLAIN = {"greet": 0.1, "smalltalk": 0.1, "identity": 0.06, "sdk": 0.04, "recall": 0.03, "arithmetic": 0.14, "how_many": 0.1, "choice": 0.1, "words": 0.1, "facts": 0.1,
         "passage": 0.03, "unknown": 0.25, "image": 0.04}
EARLIER_SKILLS = ["greet", "smalltalk", "identity", "arithmetic", "arithmetic", "arithmetic", "facts", "facts", "words", "words", "words", "choice", "unknown", "how_many", "passage", "image"]


@lru_cache(None)
def first_line_texts():
    """The closed list of first lines of SDK examples, which are meant to be known by heart."""
    return frozenset(line[0] if isinstance(line, (list, tuple)) else line for line in talk.first_lines())
