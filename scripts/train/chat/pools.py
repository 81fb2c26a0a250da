"""Word pools and the split between training and evaluation.

Every pool is cut in two by a checksum of the item: about one item in six is only ever used for held-out
prompts, the rest only for training. `Gen` bundles a seeded random source with the side it draws from.
"""
import random
import zlib

NAMES = """Anna Ben Clara David Emma Felix Grace Hugo Iris Jonas Kira Liam Mia Noah Olga Paul Quinn Rosa Sam Tara Uma Victor
Wendy Xavier Yara Zoe Alice Bob Carol Dan Eve Frank Gina Henry Ida Jack Kate Leo Mary Nina Oscar Petra Ralf Sara Tom Ursula
Vera Will Ada Boris Chen Dora Elias Fatima George Hanna Ivan Julia Karl Lena Marco Nora Omar Pia Rita Simon Tina Ugo Viola
Walter Yusuf Zara Amir Bella Carlos Diana Erik Fiona Greta Hassan Ines Jana Kofi Laura Max Nadia Otto Priya Ravi Stella Theo
Alex Maria John Jane Peter Lucy Maya Robin Jordan Sophie Aiko Kenji Mei Wei Juan Pablo Sven Ingrid Lars Astrid Mohamed Aisha
Tim Susan Mike Linda James Emily Daniel Sophia Lucas Chloe Ethan Ella Mateo Luna Adam Ruth Hal Sherlock Dorothy Edgar""".split()
CITIES = """Paris London Berlin Rome Madrid Tokyo Oslo Vienna Lisbon Athens Dublin Prague Warsaw Boston Chicago Seattle Denver
Austin Dallas Miami Toronto Montreal Sydney Melbourne Cairo Nairobi Lagos Delhi Mumbai Bangkok Seoul Beijing Shanghai Hamburg
Munich Zurich Geneva Milan Naples Venice Bergen Helsinki Stockholm Copenhagen Riga Vilnius Tallinn Lima Quito Bogota Havana
Boise Salem Portland Houston Phoenix Leeds York Bristol Oxford Cambridge Edinburgh Glasgow Lyon Nice Bordeaux Bremen Dresden""".split()
CITIES += ["New York", "San Francisco", "Los Angeles", "Cape Town", "Hong Kong", "Buenos Aires", "Rio de Janeiro", "Tel Aviv",
           "San Diego", "New Delhi", "Salt Lake City", "Las Vegas", "Mexico City", "Kuala Lumpur", "San Jose", "St. Gallen"]
NOUNS = """apple river table window garden bridge mountain candle letter engine pencil basket mirror castle forest island ladder
hammer blanket bottle carpet clock cloud coin crown desk door dragon drum feather fence flag flower fork glass glove guitar hat
house key kite knife lamp leaf lemon map market moon mouse needle ocean orange paper piano pillow plate pocket potato queen rabbit
ribbon ring road rope saddle school ship shoe shovel spoon stone street sugar sun sword tent ticket tiger tower train tree truck
tunnel turtle valley violin wagon wall water whale wheel whistle winter wolf yard zebra banana cherry walnut pepper onion cookie
robot rocket planet comet harbor anchor sailor farmer baker teacher doctor pilot parcel order invoice ticket sensor printer router
server folder file record account booking event task note playlist recipe song photo video report chart table budget lamp heater""".split()
ADJECTIVES = """red blue green yellow purple silver golden small large tiny quiet loud happy sad brave clever gentle old young new
warm cold soft hard bright dark sweet sour quick slow heavy light empty full round square strange simple honest lucky proud shy
wild calm sharp smooth dusty wooden crystal velvet frozen hidden ancient modern lazy busy hungry sleepy""".split()
VERBS = """open close start stop find move paint carry build break send read write check lock turn count clean fix book cancel
order print scan sort delete archive rename upload download list show update create fetch track rate measure test""".split()
COLORS = "red blue green yellow purple orange pink black white gray brown silver teal violet gold".split()
ANIMALS = "fox cat dog owl bear mouse rabbit wolf horse frog duck turtle hedgehog dragon unicorn squirrel otter lion sparrow snail".split()
JOBS = "baker teacher doctor pilot farmer nurse painter writer singer carpenter plumber lawyer chef engineer gardener sailor".split()
FOODS = "pizza soup bread cheese rice pasta salad cake honey apples fish noodles pancakes chocolate tomatoes curry".split()
SYLLABLES = """ba be bi bo bu da de di do du fa fe fi fo ga ge go ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi
po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa wi za ze zi zo bran cor dal fen gar hol jun kel lor mar nor pel quin
ros sel tor ul ven wex yar zan thi sha cho st ing ex il on""".split()
EXTRAS = ["é", "ü", "ñ", "ø", "ß", "😀", "🚀", "👍", "✓", "→", "€", "日本", "Привет", "naïve", "café", "Größe", "señor", "你好", "Ω", "…"]
SMALL_WORDS = """the a of and to in is on it for with at by from as not be this that are was we they she he you my our all one two
no yes or but if then when so up out very more some any here there now under over near far before after""".split()


def is_held(item):
    return zlib.crc32(item.encode()) % 6 == 0


class Gen:
    """A random source that draws from one side of every pool."""

    def __init__(self, seed, held=False):
        self.r = random.Random(seed)
        self.held = held
        self.cache = {}

    def pool(self, items):
        key = id(items)
        if key not in self.cache:
            self.cache[key] = [x for x in items if is_held(x) == self.held] or list(items)
        return self.cache[key]

    def of(self, items):
        return self.r.choice(self.pool(items))

    def ph(self, train, held=()):
        """A phrasing: from the held list on the held side, when there is one."""
        return self.r.choice(held if self.held and held else train)

    def chance(self, p):
        return self.r.random() < p

    def invented(self):
        """A made-up word of two to four syllables."""
        return "".join(self.r.choice(SYLLABLES) for _ in range(self.r.randint(2, 4)))

    def word(self):
        x = self.r.random()
        if x < 0.42:
            w = self.of(NOUNS)
        elif x < 0.58:
            w = self.of(ADJECTIVES)
        elif x < 0.66:
            w = self.of(VERBS)
        elif x < 0.73:
            w = self.of(NAMES)
        elif x < 0.97:
            w = self.invented()
        else:
            w = self.r.choice(EXTRAS)
        return self.recase(w)

    def recase(self, w):
        x = self.r.random()
        return w.upper() if x < 0.06 else w.capitalize() if x < 0.2 else w

    def name(self):
        return self.of(NAMES) if self.chance(0.6) else self.invented().capitalize()

    def number(self, digits=3):
        n = self.r.randint(1, digits)
        return str(self.r.randint(0 if n == 1 else 10 ** (n - 1), 10 ** n - 1))

    def code(self):
        """An identifier such as A-1042, zb77, order_19 or a small e-mail address."""
        x = self.r.random()
        if x < 0.35:
            return self.r.choice("ABCDEFGHKLMNPRSTXZ") + self.r.choice(["", "-"]) + self.number(5)
        if x < 0.6:
            return "".join(self.r.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(self.r.randint(4, 8)))
        if x < 0.8:
            return self.of(NOUNS) + self.r.choice("_-") + self.number(4)
        return self.invented() + "@" + self.invented() + self.r.choice([".com", ".org", ".net"])

    def phrase(self, low=1, high=8):
        """Some words with now and then a number, a code, a comma; often a sentence."""
        words = []
        for _ in range(self.r.randint(low, high)):
            x = self.r.random()
            if x < 0.27 and high > 1:
                words.append(self.r.choice(SMALL_WORDS))
            elif x < 0.33:
                words.append(self.number(4))
            elif x < 0.37:
                words.append(self.code())
            else:
                words.append(self.word())
            if high > 1 and self.chance(0.05):
                words[-1] += self.r.choice([",", ":", ";", " -"])
        text = " ".join(words).rstrip(",:;- ") or "yes"
        if self.chance(0.35):
            text = text[0].upper() + text[1:] + self.r.choice([".", ".", "!", "?"])
        return text
