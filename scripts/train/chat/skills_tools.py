"""Tool skills: one call for a matching request, a sentence from a tool's result, and doing without when no
tool fits. Domains give familiar tools (weather, time, mail ...) under many names; invented tools
(`verb_noun`) keep the names and arguments to be copied from the prompt rather than known by heart.
"""
from pools import ADJECTIVES, CITIES, NAMES, NOUNS, VERBS
from skills_chat import sample

CITY = ["city", "location", "place", "town"]
# names, descriptions, parameters (alternative names, kind), requests with slots {0} {1}
DOMAINS = [
    (["get_weather", "weather", "getWeather", "get_current_weather", "lookup_weather", "weather_lookup", "fetch_weather"],
     ["Get the weather in a city", "Current weather", "Get the current weather in a given location", "Returns the weather for a place."], [(CITY, "city")],
     ["What is the weather in {0}?", "What's the weather in {0}?", "How is the weather in {0}?", "Weather in {0}", "What is the weather like in {0} today?", "Is it raining in {0}?",
      "Tell me the weather in {0}.", "What's the weather like in {0}?", "Do I need an umbrella in {0}?", "Will it rain in {0}?"],
     ["How is the weather in {0} now?", "Please tell me the weather in {0}.", "What is the weather like in {0}?"]),
    (["get_time", "get_current_time", "current_time", "time_in", "getTime", "clock"], ["Get the time in a city", "Current local time", "Returns the time of a place."], [(CITY, "city")],
     ["What time is it in {0}?", "What is the time in {0}?", "Tell me the time in {0}.", "Time in {0}", "How late is it in {0}?"], ["Please tell me the time in {0}.", "What time is it now in {0}?"]),
    (["now", "get_date", "current_date", "today", "get_now"], ["Get the current date and time", "Today's date"], [],
     ["What day is it today?", "What is the date?", "What time is it?", "What time is it now?", "Tell me the date."], ["Please tell me the date.", "What is the date now?"]),
    (["add", "sum", "add_numbers", "plus", "calculate_sum"], ["Add two numbers", "Adds a and b", "Returns the sum of two numbers."], [(["a", "x", "first"], "int"), (["b", "y", "second"], "int")],
     ["What is {0} + {1}?", "Add {0} and {1}.", "What is {0} plus {1}?", "Please add {0} and {1}.", "How much is {0}+{1}?"], ["Compute {0} plus {1}.", "Please compute {0} + {1}."]),
    (["multiply", "times", "product", "multiply_numbers"], ["Multiply two numbers", "Multiplies a and b"], [(["a", "x", "first"], "int"), (["b", "y", "second"], "int")],
     ["What is {0} * {1}?", "Multiply {0} by {1}.", "What is {0} times {1}?", "How much is {0} times {1}?"], ["Compute {0} times {1}.", "Please multiply {0} by {1}."]),
    (["calculator", "calculate", "evaluate", "math"], ["Evaluate an expression", "A calculator"], [(["expression", "expr", "input"], "sum")],
     ["What is {0}?", "Calculate {0}", "Compute {0}.", "How much is {0}?"], ["Please calculate {0}."]),
    (["search", "web_search", "search_web", "google", "find", "lookup"], ["Search the web", "Search for something on the internet"], [(["query", "q", "text"], "topic")],
     ["Search for {0}.", "Search the web for {0}", "Find information about {0}.", "Look up {0}.", "Google {0}"], ["Please search for {0}.", "Find something about {0}."]),
    (["send_email", "send_mail", "email", "send_message", "message"], ["Send a message to a person", "Sends an e-mail"], [(["to", "recipient", "name"], "name"), (["text", "body", "message"], "phrase")],
     ["Send {0} the message \"{1}\".", "Write to {0}: {1}", "Tell {0}: {1}", "Send \"{1}\" to {0}."], ["Please send \"{1}\" to {0}.", "Please write to {0}: {1}"]),
    (["get_order", "lookup_order", "order_status", "find_order", "get_user", "lookup_user", "get_record"], ["Look up a record by id", "Returns the status of an order"], [(["id", "order_id", "key"], "code")],
     ["What is the status of {0}?", "Where is my order {0}?", "Look up {0}.", "Show me {0}.", "Check {0} please."], ["Please look up {0}.", "What is the status of order {0}?"]),
    (["translate", "translate_text", "translator"], ["Translate a text"], [(["text", "input"], "phrase"), (["language", "target", "to"], "language")],
     ["Translate \"{0}\" to {1}.", "Translate \"{0}\" into {1}", "Say \"{0}\" in {1}."], ["Please translate \"{0}\" into {1}."]),
    (["set_timer", "timer", "start_timer"], ["Set a timer", "Starts a timer"], [(["minutes", "duration"], "int")],
     ["Set a timer for {0} minutes.", "Timer {0} minutes", "Start a timer of {0} minutes."], ["Please set a timer for {0} minutes."]),
    (["get_stock_price", "stock_price", "get_price", "quote"], ["Get the price of a stock", "Current stock price"], [(["symbol", "ticker"], "ticker")],
     ["What is the price of {0}?", "How much is {0} stock?", "Stock price of {0}", "Price of {0}?"], ["Please tell me the price of {0}."]),
]
VALUE_HINTS = {"city": ["The city", "City name, e.g. Paris", "The city and state, e.g. San Francisco, CA"], "name": ["Who gets it"], "topic": ["What to search for"]}


def value(g, kind):
    if kind == "city":
        tail = g.r.choice([", CA", ", France", ", MA", ", Germany"]) if g.chance(0.08) else ""
        return (g.of(CITIES) if g.chance(0.8) else g.invented().capitalize()) + tail
    if kind == "int":
        return int(g.number(3))
    if kind == "sum":
        return f"{g.number(3)} {g.r.choice('+-*/')} {g.number(3)}"
    if kind == "language":
        return g.r.choice(["French", "German", "Spanish", "Italian", "Dutch"])
    if kind == "ticker":
        return "".join(g.r.choice("ABCDEFGHIKLMNOPRSTVXZ") for _ in range(g.r.randint(2, 4)))
    return {"name": g.name, "topic": lambda: g.phrase(1, 3).rstrip(".!?"), "code": g.code,
            "phrase": lambda: g.phrase(2, 5).rstrip(".!?")}.get(kind, g.word)()


def function_json(g, name, description, params):
    """An OpenAI tool; params is a list of (name, JSON type, hint)."""
    props = {}
    for p, kind, hint in params:
        props[p] = {"type": kind, **({"description": hint} if hint else {})}
    if "weather" in name and g.chance(0.25):
        props["unit"] = {"type": "string", "enum": ["celsius", "fahrenheit"]}
    schema = {"type": "object", "properties": props}
    if params and g.chance(0.85):
        schema["required"] = [p for p, _, _ in params]
    if g.chance(0.2):
        schema["additionalProperties"] = False
    function = {"name": name, **({"description": description} if description and g.chance(0.8) else {}), "parameters": schema}
    if g.chance(0.08):
        function["strict"] = True
    return {"type": "function", "function": function}


def domain_tool(g, domain):
    """(tool, request, arguments) of a familiar domain."""
    names, descriptions, params, asks, asks_held = domain
    values = [value(g, kind) for _, kind in params]
    chosen = [g.r.choice(alternatives) for alternatives, _ in params]
    spec = [(p, "integer" if kind == "int" and g.chance(0.5) else "number" if kind == "int" else "string",
             g.r.choice(VALUE_HINTS[kind]) if kind in VALUE_HINTS and g.chance(0.35) else None) for p, (_, kind) in zip(chosen, params)]
    name = g.r.choice(names)
    if g.chance(0.1):
        name = g.r.choice(["my_", "api_", "tool_"]) + name
    return function_json(g, name, g.r.choice(descriptions), spec), g.ph(asks, asks_held).format(*values), dict(zip(chosen, values))


def invented_tool(g):
    verb, noun = g.of(VERBS), g.of(NOUNS)
    name = g.r.choice([f"{verb}_{noun}", f"{verb}_{noun}", f"{verb}{noun.capitalize()}", f"{noun}_{verb}"])
    param = g.r.choice([g.of(NOUNS), g.of(NOUNS), "id", "name", "value", "input", "key", "number"])
    kind = g.r.choice(["code", "word", "int", "name", "city"])
    x = value(g, kind)
    request = g.ph(["{v} the {n} {x}.", "Please {v} the {n} {x}.", "{v} the {n} \"{x}\".", "Can you {v} the {n} {x}?", "{v} {n} {x}", "Use {t} with {x}.", "Call {t} with {p} {x}.",
                    "Call the tool {t} with {p} = {x}."],
                   ["Now {v} the {n} {x}.", "Could you {v} the {n} {x}?", "Please call {t} with {p} {x}."]).format(v=verb, n=noun, x=x, t=name, p=param)
    spec = [(param, "integer" if kind == "int" else "string", None)]
    return function_json(g, name, f"{verb.capitalize()} the {noun}", spec), request[0].upper() + request[1:], {param: x}


def any_tool(g):
    return invented_tool(g) if g.chance(0.4) else domain_tool(g, g.r.choice(DOMAINS))


def tool_set(g, wanted=None, most=3):
    """The wanted tool among others, names unique, order random."""
    tools = [wanted] if wanted else []
    for _ in range(g.r.choice([0, 0, 0, 1, 1, 2]) if wanted else g.r.choice([1, 1, 2])):
        other = any_tool(g)[0]
        if len(tools) < most and not any(similar(other, t) for t in tools):
            tools.append(other)
    g.r.shuffle(tools)
    return tools


def domain_of(tool):
    name = tool["function"]["name"]
    return next((i for i, d in enumerate(DOMAINS) if any(name.endswith(n) for n in d[0])), name)


CONFUSING = [{3, 4, 5}, {1, 2}, {6, 8, 11}]


def similar(a, b):
    """Two tools which the same request could mean."""
    x, y = domain_of(a), domain_of(b)
    return x == y or any(x in group and y in group for group in CONFUSING)


def tool_call(g):
    tool, request, arguments = any_tool(g)
    name = tool["function"]["name"]
    out = sample(request, f"I call {name}.", "", toolCall={"name": name, "arguments": arguments})
    return {**out, "tools": tool_set(g, tool), "call": {"name": name, "arguments": arguments}}


def result_value(g):
    if g.chance(0.45):
        return g.r.choice([g.number(3), f"{g.number(2)}.{g.r.randint(0, 9)}", f"{g.number(2)} degrees", f"{g.of(ADJECTIVES)} and {g.of(ADJECTIVES)}"])
    return g.r.choice([g.of(ADJECTIVES), g.word(), g.code(), "sunny", "cloudy", "rain", "shipped", "open", g.phrase(2, 5).rstrip(".!?")])


def result(g):
    """(content of the tool message, the reply, what it must contain)."""
    if g.chance(0.4):
        text = str(result_value(g))
        return text, f"The result is: {text}.", [text]
    keys = g.r.sample(["temperature", "condition", "status", "time", "price", "result", "total", "city", "wind", "unit", "name", "sum", "message", g.of(NOUNS), g.of(NOUNS) + "_id"], g.r.choice([1, 1, 2, 2, 3]))
    values = {k: result_value(g) for k in keys}
    values = {k: int(v) if v.isdigit() and g.chance(0.7) else v for k, v in values.items()}
    parts = [f"{k} is {v}" for k, v in values.items()]
    joined = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    from render import compact
    content = compact(values) if g.chance(0.6) else compact(values).replace('": ', '":').replace(', "', ',"')
    return content, f"The result: {joined}.", [str(v) for v in values.values()]


def tool_result(g):
    first = tool_call(g)
    content, reply, contains = result(g)
    call_id = "call_" + g.number(4)
    call = {"id": call_id, "type": "function", "function": first["call"]}
    said = g.r.choice(["", "", "", "I will look."])
    after = [{"role": "assistant", "content": said or None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": call_id, "content": content}]
    out = sample(first["user"], "I have the result.", reply, contains=contains)
    return {**out, "tools": first["tools"], "after": after}


def no_fitting_tool(g):
    """A request for a tool which is not among those given."""
    tool, request, _ = any_tool(g)
    others = [t for t in tool_set(g) if not similar(t, tool)]
    if not others or domain_of(tool) in (2, 3):
        return no_fitting_tool(g)
    return {**sample(request, "No tool fits.", "I have no tool for that.", contains=["no tool"]), "tools": others}
