"""Which skills there are, how often each is drawn, which may stand before another, and how often tools stand by unused."""
from functools import lru_cache

import skills_choice
import skills_facts
import skills_image
import skills_json
import skills_passage
import skills_recall
import skills_sums
import skills_talk
import skills_tools
import skills_unknown
import skills_words
from stories import story

SKILLS = {
    "greet": skills_talk.greet, "smalltalk": skills_talk.smalltalk, "identity": skills_talk.identity, "sdk": skills_talk.sdk,
    "recall": skills_recall.recall, "not_told": skills_recall.not_told, "tell": skills_recall.tell,
    "arithmetic": skills_sums.arithmetic, "how_many": skills_sums.how_many, "count": skills_sums.count, "choice": skills_choice.choice,
    "words": skills_words.words, "say": skills_words.say, "facts": skills_facts.fact, "story": story, "passage": skills_passage.passage, "unknown": skills_unknown.unknown,
    "image": skills_image.image, "json": skills_json.fill_json,
    "tool_call": skills_tools.tool_call, "tool_calls": skills_tools.tool_calls, "tool_result": skills_tools.tool_result, "tool_again": skills_tools.tool_again,
    "tool_unfit": skills_tools.tool_unfit,
}
MIX = {
    "greet": 1.5, "smalltalk": 2, "identity": 2, "sdk": 2.5, "recall": 9, "not_told": 0.7, "tell": 0.8, "arithmetic": 11, "how_many": 4, "count": 1.5, "choice": 4,
    "words": 11, "say": 1.5, "story": 0.7, "facts": 9, "passage": 9, "unknown": 6, "image": 8, "json": 9,
    "tool_call": 9, "tool_calls": 3.5, "tool_result": 4, "tool_again": 0.7, "tool_unfit": 3,
}
# The share of a skill's samples in which tools stand by that it does not need.
PLAIN = {"greet": 0.06, "smalltalk": 0.06, "identity": 0.06, "sdk": 0.04, "recall": 0.03, "arithmetic": 0.06, "how_many": 0.06, "choice": 0.06, "words": 0.06, "facts": 0.08,
         "passage": 0.03, "unknown": 0.12, "image": 0.04}
EARLIER_SKILLS = ["greet", "smalltalk", "identity", "arithmetic", "arithmetic", "arithmetic", "facts", "facts", "words", "words", "words", "choice", "unknown", "how_many", "passage", "image"]


@lru_cache(None)
def first_line_texts():
    """The closed list of first lines of SDK examples, which are meant to be known by heart."""
    return frozenset(line[0] if isinstance(line, (list, tuple)) else line for line in skills_talk.first_lines())
