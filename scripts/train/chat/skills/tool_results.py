"""What tools give back, and the sentences that tell it."""
import json

from texts.pools import ADJECTIVES
from skills.json_values import joined
from skills.tool_values import clock, path, price, words

KEYS = ["temperature", "condition", "status", "time", "price", "result", "total", "city", "wind", "unit", "name", "sum", "message", "humidity", "date", "count", "distance", "state",
        "answer", "title", "owner", "amount", "duration", "rate", "score", "weather", "forecast", "email", "address", "color", "weight", "stock", "value", "error", "id", "code"]
CONDITIONS = ["sunny", "cloudy", "rain", "rainy", "snow", "windy", "foggy", "clear", "storm", "light rain", "partly cloudy", "hot", "cold", "warm"]
STATES = ["shipped", "open", "closed", "done", "ok", "sent", "delivered", "pending", "cancelled", "on the way", "confirmed", "failed", "ready", "not found", "booked", "paid"]


def value(g):
    """A value in a result."""
    x = g.r.random()
    if x < 0.26:
        return int(g.number(4))
    if x < 0.36:
        return float(g.unheld(lambda: f"{g.r.randint(0, 99)}.{g.r.randint(1, 9)}"))
    if x < 0.46:
        return g.unheld(lambda: f"{g.r.randint(1, 99)}{g.r.choice([' degrees', '°C', ' km', ' %', ' EUR', ' minutes', ' dollars'])}")
    if x < 0.5:
        return g.r.choice([True, False])
    makers = [lambda: g.of(CONDITIONS), lambda: g.of(STATES), lambda: g.of(ADJECTIVES), g.word, g.code, g.name, g.city, lambda: clock(g), lambda: price(g), lambda: path(g),
              lambda: g.unheld(lambda: words(g, 2, 5)), lambda: g.unheld(lambda: f"{g.of(ADJECTIVES)} and {g.of(ADJECTIVES)}")]
    return g.r.choice(makers)()


def shown(v):
    """A value in a sentence."""
    if isinstance(v, list):
        return joined([shown(x) for x in v])
    return json.dumps(v) if isinstance(v, (bool, float, int)) else str(v)


def key(g):
    x = g.r.random()
    return g.r.choice(KEYS) if x < 0.7 else g.noun() if x < 0.85 else g.unheld(lambda: g.noun() + "_" + g.r.choice(KEYS)) if x < 0.95 else g.invented()


def answer(values):
    """The sentence for an object: every member, in its order."""
    parts = [f"the {k.replace('_', ' ')} is {shown(v)}" for k, v in values.items()]
    text = joined(parts)
    return text[0].upper() + text[1:] + "."


def told(g):
    """A result that is a text of its own."""
    kinds = {"v": value(g), "w": value(g), "n": g.noun(), "a": g.of(ADJECTIVES), "p": g.name(), "c": g.city(), "s": g.of(CONDITIONS), "t": g.of(STATES), "m": g.number(3)}
    return g.r.choice(["{s}, {m} degrees", "{m}°C and {s}", "{s} in {c}", "The {n} is {t}", "{p} is {a}", "{t}: {v}", "{m} {n}s", "{v} ({w})", "{n} {t}", "{c}: {v}", "{m}.5 {n}s", "{t} at {m}",
                       "{s} with {m} km wind", "{p}, {c}", "{n}, {a}", "{v} and {w}", "done, {v}"]).format(**{k: shown(v) for k, v in kinds.items()})


def result(g):
    """(content of the tool message, the sentence)."""
    x = g.r.random()
    if x < 0.38:
        text = shown(value(g)) if x < 0.28 else g.unheld(lambda: told(g))
        return text, f"The result is: {text}."
    if x < 0.43:
        items = [g.word() for _ in range(g.r.randint(2, 4))]
        return json.dumps(items, ensure_ascii=False), f"The result is: {joined(items)}."
    values = {}
    for _ in range(g.r.choices([1, 2, 3, 4], [30, 40, 22, 8])[0]):
        values[key(g)] = value(g) if g.chance(0.94) else [g.word() for _ in range(g.r.randint(2, 3))]
    separators = (", ", ": ") if g.chance(0.5) else (",", ":")
    return json.dumps(values, ensure_ascii=False, separators=separators, indent=2 if g.chance(0.05) else None), answer(values)
