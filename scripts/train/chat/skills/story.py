"""Long replies on request: a few story skeletons of our own with slots, about 150 to 250 tokens each."""
from texts.manner import article, ask
from texts.pools import ANIMALS
from texts.sample import sample

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
NAMES = ["Mia", "Ida", "Luna", "Ella"]


def story(g):
    """A story on request, long or short, about an animal of the user's choice or any."""
    hero, about, short = g.of(ANIMALS), g.chance(0.5), g.chance(0.2)
    part = ("short" if short else "long") if not about else "short_about" if short else "about"
    slots = {"hero": hero, "name": g.r.choice(NAMES), "thing": g.r.choice(["lamp", "mirror", "bell", "key"]), "adj": g.r.choice(["small", "quiet", "gentle", "lazy"])}
    skeleton = SHORT if short else g.r.choice(STORIES)
    return sample(article(ask(g, "story", part, x=hero)), article(f"The user wants a story about a {hero}.") if about else "The user wants a story.", article(skeleton.format(**slots)))
