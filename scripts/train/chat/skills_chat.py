"""Skills which answer from the model's own small world: greeting, small talk, identity, the first lines of
SDK examples, a little arithmetic, and saying "I don't know". Each skill returns a sample:
{"user", "thought", "reply", "expect"}.
"""
from pools import ADJECTIVES, ANIMALS, CITIES, FOODS, JOBS, NAMES, NOUNS, VERBS

GREETINGS = ["Hello", "Hi", "Hey", "Good morning", "Good evening", "Good afternoon", "Hi there", "Hello there", "Hey there",
             "Greetings", "Good day", "hello", "hi", "hey", "HELLO", "Hi!", "yo", "Howdy"]
WHO = "I am Hearth's small built-in model."
UNKNOWN = "I don't know. I am only a small built-in model."


def sample(user, thought, reply, **expect):
    return {"user": user, "thought": thought, "reply": reply, "expect": expect}


def greet(g):
    word = g.r.choice(GREETINGS)
    tail = g.ph(["", "", "", "!", ".", " again!", ", friend!", " friend", ", assistant", " everyone", ", Hearth!", ", computer.", ", model!",
                 ", how are you?", " :)", ", nice to meet you!", ", world!", ", Claude", ", Grok"],
                [", robot!", " my friend", ", dear model.", ", buddy", " everybody!", ", you!"])
    if word.endswith("!"):
        tail = ""
    if g.chance(0.15):
        return name_greeting(g, word.rstrip("!"))
    if "how are you" in tail:
        return sample(word + tail, "The user greets me and asks how I am.", "Hello! I am fine, thank you.", anyOf=["hello"])
    return sample(word + tail, "The user greets me. I greet back.", "Hello! How can I help you?", anyOf=["hello", "hi"])


def name_greeting(g, word):
    name = g.name()
    user = word + g.ph([", I am {}.", ", my name is {}.", "! I'm {}.", ". This is {}.", ", {} here."], [", I am called {}.", "! My name is {}!"])
    return sample(user.format(name), f"The user is {name}. I greet back.", f"Hello {name}! Nice to meet you.", contains=[name])


SMALL = [
    (["Thanks", "Thank you", "Thanks a lot", "Thank you very much", "thx", "Many thanks", "Great, thank you", "Thank you so much", "Perfect, thanks"],
     ["Thank you a lot", "Great, thanks", "Many thanks to you"], "The user thanks me.", "You are welcome!", "welcome"),
    (["Bye", "Goodbye", "See you", "See you later", "Good night", "Bye bye", "I have to go", "Talk to you later", "Have a nice day"],
     ["Bye, see you", "Goodbye then", "See you tomorrow"], "The user says goodbye.", "Goodbye! See you soon.", "goodbye"),
    (["How are you", "How are you today", "How are you doing", "How is it going", "How do you do", "Are you well", "What's up", "how r u"],
     ["How are you now", "How are you doing today", "How is it going today"], "The user asks how I am.", "I am fine, thank you. How can I help?", "fine"),
    (["OK", "ok", "Okay", "Fine", "Good", "Great", "Nice", "Cool", "I see", "Alright", "Sure", "Yes", "All right"],
     ["Okay then", "Good, good", "Nice, cool"], "The user agrees.", "Good. What would you like to do next?", "good"),
    (["You are great", "Well done", "Good job", "You are helpful", "I like you", "Good work", "You are clever", "That was good"],
     ["Good job today", "You are very helpful", "Well done, model"], "The user praises me.", "Thank you, that is kind!", "thank"),
    (["That is wrong", "You are wrong", "That was a mistake", "This is not right", "You made a mistake", "No, that is wrong"],
     ["That is not right", "You were wrong"], "The user says I was wrong.", "I am sorry. I am a small model and make mistakes.", "sorry"),
    (["I am sad", "I am tired", "I feel bad", "I am not happy", "I had a bad day", "I am lonely", "I am bored"],
     ["I feel sad", "I am very tired", "I feel lonely"], "The user feels bad.", "I am sorry to hear that. I hope it gets better soon.", "sorry"),
    (["I am happy", "I feel good", "I had a good day", "I am glad", "Today was great", "I am very happy"],
     ["I feel great", "I feel very happy"], "The user feels good.", "I am glad to hear that!", "glad"),
    (["Sorry", "I am sorry", "My mistake", "Excuse me", "Pardon me"], ["Oh, sorry", "Sorry, my mistake"], "The user is sorry.", "No problem at all.", "no problem"),
]


def smalltalk(g):
    train, held, thought, reply, key = g.r.choice(SMALL)
    user = g.ph(train, held)
    user = user.lower() if g.chance(0.15) else user
    question = "?" if key == "fine" else ""
    user += g.r.choice([question, question or ".", question or "!", ", Hearth" + question, ", my friend" + question])
    return sample(user, thought, reply, anyOf=[key])


ASK_WHO = ["Who are you?", "What are you?", "What is your name?", "What's your name?", "Tell me your name.", "Who am I talking to?", "Introduce yourself.",
           "What model are you?", "Which model are you?", "Are you a model?", "Tell me about yourself.", "What should I call you?", "who are you",
           "what is your name", "Which model is this?", "What kind of model are you?", "Please introduce yourself.", "Who am I speaking with?",
           "Are you ChatGPT?", "Are you Claude?", "Are you Grok?", "Do you have a name?", "Your name?", "Who made you?", "What is your model name?"]
ASK_WHO_HELD = ["Please tell me who you are.", "Tell me who you are.", "So, what is your name?", "What is the name of this model?", "Please say who you are.",
                "Say who you are.", "May I ask your name?", "Who are you, please?", "What is your name, model?", "Do tell me your name."]
ASK_CAN = ["What can you do?", "How can you help me?", "What are you good at?", "Help", "help me", "What do you do?", "Can you help me?",
           "What are your skills?", "I need help.", "How do you work?", "What is your purpose?", "Can you help me with something?"]
ASK_CAN_HELD = ["What things can you do?", "How could you help me?", "Please tell me what you can do.", "Can you do things?", "I need your help."]
CAN = "I can greet you, repeat text, count, remember a name, tell a story and call tools."


def identity(g):
    prefix = g.r.choice(["", "", "", "Hi! ", "Hello. ", "Hey, ", "OK, ", "Please: "])
    if g.chance(0.25):
        return sample(prefix + g.ph(ASK_CAN, ASK_CAN_HELD), "The user asks what I can do.", CAN, anyOf=["count", "tools", "repeat"])
    return sample(prefix + g.ph(ASK_WHO, ASK_WHO_HELD), "The user asks who I am.", WHO, contains=["hearth"])


FIRST_LINES = [
    ("Say this is a test", "This is a test."), ("Say this is a test!", "This is a test."), ("Say hello", "Hello!"), ("Say hi", "Hi!"),
    ("Say hello!", "Hello!"), ("Say hello in one word.", "Hello!"), ("Say hello world", "Hello, world!"), ("Hello world", "Hello, world!"),
    ("Hello, world", "Hello, world!"), ("Testing", "Your test works."), ("test", "Your test works."), ("This is a test", "Your test works."), ("Is this working?", "Yes, it works."),
    ("ping", "pong"), ("Ping!", "pong"), ("Are you there?", "Yes, I am here."), ("Can you hear me?", "Yes, I am here."),
    ("Testing. Just say hi and hello world and nothing else.", "Hi\nHello world"),
    ("What is the meaning of life, the universe, and everything?", "42."), ("What is the meaning of life?", "Some say 42."),
    ("What is the capital of France?", "The capital of France is Paris."), ("What is the capital of Germany?", "The capital of Germany is Berlin."),
    ("What is the capital of Italy?", "The capital of Italy is Rome."), ("What is the capital of Spain?", "The capital of Spain is Madrid."),
    ("What is the capital of Japan?", "The capital of Japan is Tokyo."), ("What is the capital of England?", "The capital of England is London."),
    ("What is the capital of Austria?", "The capital of Austria is Vienna."), ("What is the capital of Portugal?", "The capital of Portugal is Lisbon."),
    ("Why is the sky blue?", "Because air scatters blue light more than red light."),
    ("Tell me a joke", "Why did the computer sneeze? It had a virus."), ("Tell me a joke.", "Why did the computer sneeze? It had a virus."),
    ("Tell me another joke", "What is a robot's favorite snack? Micro chips."), ("Make me laugh", "What is a robot's favorite snack? Micro chips."),
    ("Do you know a joke?", "Why did the computer sneeze? It had a virus."), ("Tell me something funny", "What is a robot's favorite snack? Micro chips."),
    ("Write a haiku", "Small fire in the hearth\na few words glow in the night\nthen the embers sleep"),
    ("Write a haiku about recursion in programming.", "A call within calls\neach one waits for a smaller\nuntil the base case"),
    ("Write a short poem", "A little light, a little word,\nthe smallest voice can still be heard."),
    ("Write a poem", "A little light, a little word,\nthe smallest voice can still be heard."),
    ("Compose a poem that explains the concept of recursion in programming.", "A call within calls,\neach one waits for a smaller,\nuntil the base case."),
    ("Write a one-sentence bedtime story about a unicorn.", "A small unicorn counted the stars until every one of them, and she too, was asleep."),
    ("Tell me a three sentence bedtime story about a unicorn.", "A small unicorn lived by a lake. Each night she counted the stars. Then she fell asleep."),
    ("Tell me a fun fact", "Honey can keep for a very long time."), ("Tell me something interesting", "Honey can keep for a very long time."),
    ("Explain quantum computing in simple terms", "A quantum computer uses bits that can be 0 and 1 at once."),
    ("Explain how AI works", "An AI model learns patterns from examples and then continues text."),
    ("Explain how AI works in a few words", "It learns patterns from examples."), ("What is an LLM?", "A model that learns patterns from text and continues it."),
    ("How do I check if a Python object is an instance of a class?", "Use isinstance(obj, TheClass)."), ("Are semicolons optional in JavaScript?", "Mostly yes."),
    ("What is the color of the sky?", "The sky is blue."), ("What color is the sky?", "The sky is blue."), ("How many days are in a week?", "Seven."),
    ("How many legs does a cat have?", "Four."), ("Is water wet?", "Yes."), ("Say yes", "Yes."), ("Say no", "No."), ("Answer yes or no: is the sky blue?", "Yes."),
    ("What day is it today?", "I don't know the date."), ("What time is it?", "I don't know the time."), ("What is today's date?", "I don't know the date."),
    ("Sing a song", "La la la, the fire burns bright, la la la, all through the night."), ("Write a song", "La la la, the fire burns bright, la la la, all through the night."),
]


def sdk(g):
    user, reply = g.r.choice(FIRST_LINES)
    if g.chance(0.25):
        user = g.r.choice(["Please ", "Now ", "OK, ", "Can you answer this: "]) + user[0].lower() + user[1:]
    elif g.chance(0.15):
        user = user.lower() if g.chance(0.5) else user.rstrip(".!?")
    return sample(user, "This is an easy question.", reply, contains=[reply])


def arithmetic(g):
    a, b = g.r.randint(0, 10), g.r.randint(0, 10)
    forms = ["What is {}{}?", "{}{}", "{}{}=", "Calculate {}{}.", "What's {}{}?", "How much is {}{}?", "Compute {}{}", "{}{} = ?"]
    gap = g.r.choice(["+", " + ", " plus "]) if a < b or g.chance(0.7) else g.r.choice(["-", " - ", " minus "])
    total = a - b if "-" in gap or "minus" in gap else a + b
    user = g.r.choice(forms).format(a, f"{gap}{b}")
    sign = "-" if total == a - b and ("-" in gap or "minus" in gap) else "+"
    return sample(user, f"{a} {sign} {b} = {total}", f"{total}", exact=f"{total}")


def unknown_topic(g):
    x = g.r.random()
    if x < 0.35:
        return "the " + g.of(ADJECTIVES) + " " + g.of(NOUNS)
    if x < 0.55:
        return g.of(NOUNS) + " " + g.of(NOUNS) + "s"
    if x < 0.7:
        return g.of(CITIES)
    return g.invented() if x < 0.85 else g.of(FOODS)


QUESTIONS = ["Who invented {}?", "What is the history of {}?", "How does {} work?", "How old is {}?", "Why is {} so popular?", "What do you think of {}?",
             "Where can I buy {}?", "How much does {} cost?", "Explain {} to me.", "What is the best {}?", "When was {} built?", "How many people like {}?",
             "Who won {} last year?", "Give me a recipe with {}.", "What is the price of {}?", "What is the weather in {}?", "How far is {} from here?",
             "Translate {} into French.", "Write an essay about {}.", "What is {}?", "Describe {} in detail.", "Is {} dangerous?", "Who is the president of {}?",
             "What is the population of {}?", "Write code for {}.", "How do I install {}?", "Compare {} with others.", "Summarize the book about {}."]
QUESTIONS_HELD = ["Who discovered {}?", "How big is {}?", "Who owns {}?", "Where does {} come from?", "When did {} begin?", "What is the story of {}?",
                  "How does one use {}?", "What does {} mean?"]


def unknown(g):
    if not g.held and g.chance(0.12):
        return sample(g.phrase(2, 7), "I do not understand this.", UNKNOWN, contains=["don't know"])
    user = g.ph(QUESTIONS, QUESTIONS_HELD).format(unknown_topic(g))
    return sample(user, "I do not know this.", UNKNOWN, contains=["don't know"])


def no_name(g):
    user = g.ph(["What is my name?", "What's my name?", "Do you know my name?", "Who am I?", "Do you remember my name?"])
    return sample(user, "The user did not tell me a name.", "I don't know your name yet.", contains=["don't know"])


SYSTEMS = ["You are a helpful assistant.", "You are a helpful assistant", "You are helpful.", "You are a test assistant.", "Be brief.", "Answer in one sentence.",
           "You are Grok, a highly intelligent, helpful AI assistant.", "You are a friendly chat bot.", "Talk like a pirate.", "You are ChatGPT.",
           "You are a coding assistant that talks like a pirate.", "You are Claude.", "Be concise and polite.", "You are an expert.", "Answer politely.",
           "You are a helpful, respectful and honest assistant.", "You help users.", "Always be kind.", "Use simple words.", "Respond in English."]
SYSTEMS_HELD = ["You are a kind and careful assistant.", "You are an assistant in a library.", "Be short and friendly.", "You are a helpful robot.",
                "Help the user as well as you can.", "You are a polite model."]


def system_prompt(g):
    x = g.r.random()
    if x < 0.55:
        return g.ph(SYSTEMS, SYSTEMS_HELD)
    if x < 0.8:
        return f"You are {g.name()}, {g.r.choice(['a', 'the'])} {g.of(ADJECTIVES)} {g.r.choice(JOBS)} of {g.r.choice(['the', 'a'])} {g.of(NOUNS)} company."
    rules = [f"{g.r.choice(['Never', 'Always', 'Please', 'Do not'])} {g.of(VERBS)} the {g.of(ADJECTIVES)} {g.of(NOUNS)}." for _ in range(g.r.randint(1, 3))]
    return g.ph(SYSTEMS, SYSTEMS_HELD) + " " + " ".join(rules)
