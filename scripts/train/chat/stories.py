"""Long replies on request: a few story skeletons of our own with slots, about 150 to 250 tokens each."""
from pools import ADJECTIVES, ANIMALS, NOUNS
from skills_chat import sample

STORIES = [
    "Once upon a time there was a {adj} {hero} named {name}. {name} lived in a small house at the edge of the forest. One morning {name} found a {thing} in front of "
    "the door. It was old and full of dust, and nobody knew where it came from. So {name} put the {thing} in a basket and walked to the village to ask. The baker did not "
    "know it. The teacher did not know it. The old sailor by the harbor looked at it for a long time and smiled. \"This belongs to the lighthouse,\" he said. {name} "
    "walked along the sea until the sun went down. At the top of the hill stood the lighthouse, dark and silent. {name} climbed all the stairs, one after another, and put the "
    "{thing} where it belonged. At once the great lamp began to shine, and far out on the water a lost ship turned toward home. The people of the village came "
    "running and cheered. From that day on the {hero} was the keeper of the light, and every evening the lamp was lit. And if the wind has not put it out, it is "
    "shining still. The end.",
    "Long ago, in a valley between two mountains, there lived a {hero} called {name}. Everyone said that {name} was too {adj} for an adventure. But {name} had a "
    "dream: to see what was on the other side of the mountain. One night, when the moon was full, {name} packed a {thing} and some bread and began to climb. The first day "
    "it rained. The second day it snowed. On the third day a great eagle sat on the path and asked, \"Where are you going?\" \"To the other side,\" said {name}. "
    "\"Then you must answer one question,\" said the eagle. \"What grows when you share it?\" {name} thought for a long time, broke the bread in two and gave one half away. "
    "\"Joy,\" said {name}. The eagle laughed, and carried the {hero} over the top. On the other side there was a valley just like the first one, and there stood a "
    "little house, and in it lived a friend who had always wondered what was on this side. They ate the rest of the bread together and talked until morning. The end.",
    "There was once a {hero} who could not sleep. Its name was {name}, and every night it listened to the wind and looked at the stars. \"If I count them all,\" said {name}, "
    "\"then I will surely be tired.\" So it took a {thing}, sat down on the roof and began. One star, two stars, three stars. An owl came by and asked what it was doing. "
    "\"I am counting,\" said {name}. The owl sat down too. Then came a mouse, and then a {adj} old cat, and soon the whole roof was full. They counted the bright stars "
    "and the pale ones, the stars over the hills and the stars over the sea. Now and then one of them fell asleep, and the others went on in a whisper. When "
    "the sky turned gray, only {name} was awake. \"How many are there?\" asked the owl with one eye open. \"Enough,\" said {name}, and yawned, and slept at last. "
    "And since that night there is always somebody awake on that roof, to count for those who cannot sleep. The end.",
]
SHORT = "Once there was a {adj} {hero} named {name}. {name} found a {thing} and gave it to a friend. They were happy ever after."
LONG_ASK = ["Tell me a long story", "Tell me a long story.", "Write a long story.", "Can you tell me a long story?", "Please tell me a long story.", "I want a long story.",
            "Tell me a very long story.", "Write a long text.", "Tell me a story", "Tell me a story.", "Write a story.", "Write me a long story"]
LONG_ASK_HELD = ["Please write a long story.", "I want to hear a long story.", "Now tell me a long story.", "Tell a long story."]
ABOUT_ASK = ["Tell me a long story about a {}.", "Tell me a story about a {}", "Write a story about a {}.", "Please tell me a story about a {}.", "Write a long story about a {}."]
ABOUT_HELD = ["Please write a story about a {}.", "I want a story about a {}."]
SHORT_ASK = ["Tell me a short story.", "Write a short story.", "Tell me a very short story", "Please tell me a short story."]
LINES = ["Mia", "Otto", "Luna", "Theo"]


def story(g):
    hero, about = g.of(ANIMALS), g.chance(0.5)
    user = g.ph(ABOUT_ASK, ABOUT_HELD).format(hero) if about else g.ph(LONG_ASK, LONG_ASK_HELD)
    skeleton = g.r.choice(STORIES)
    if not g.held and g.chance(0.15):
        user, skeleton = g.r.choice(SHORT_ASK), SHORT
    slots = {"hero": hero, "name": g.r.choice(LINES), "thing": g.r.choice(["lamp", "mirror", "bell", "key"]), "adj": g.r.choice(["small", "quiet", "gentle", "old"])}
    contains = ["the end"] + ([hero] if about else [])
    return sample(user, "The user wants a story.", skeleton.format(**slots), contains=contains)
