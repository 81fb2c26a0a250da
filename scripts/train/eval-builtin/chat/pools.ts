/** Words for the slots of templates, only held-out ones of each pool. */
import type { Dice } from "./dice.js";
import { isHeld } from "./held.js";

export const colors = "red orange yellow green blue purple pink brown black gray white".split(" ");
export const weekdays = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

export const names = held(`
  Aaron Abel Ada Adam Adele Agnes Aisha Alan Alba Albert Alec Alfie Alice Alina Alma Amara Amber Amelie Amir Amy Ana Andre
  Anita Anka Anton Arlo Arne Astrid Aurora Ava Axel Aya Barbara Basil Beatrix Bella Ben Bernard Bianca Bjorn Boris Brenda
  Brian Bruno Calvin Camila Carla Carmen Casper Cecil Chloe Clara Claude Conrad Cora Cyrus Dagmar Dalia Damian Dana Daria
  Delia Dennis Diana Dina Dora Doris Duncan Edda Edgar Edith Edwin Egon Eileen Elena Eli Elias Elsa Emil Emma Enzo Erik Erin
  Esme Esther Ethan Eva Fabian Farah Felix Fiona Flora Frank Freya Frida Gabriel Gemma George Gilda Gina Grace Greta Gus
  Gustav Hana Hanna Harold Hazel Hector Heidi Helga Henry Hilda Hiro Holly Hugo Ian Ida Igor Imran Ines Inga Irene Iris Isaac
  Isla Ivan Ivy Jack Jade Jana Jasper Jens Joan Jonas Josef Judith Jules Julia June Kai Kara Karim Karl Kate Keiko Kenji Kira
  Klara Klaus Knut Lars Laura Layla Lea Leila Lena Leo Leon Liam Lila Linus Lisa Livia Lola Lotte Louis Lucas Lucia Luna Lydia
  Mabel Maeve Magda Malik Mara Marco Maria Mario Marta Martin Mary Matilda Max Maya Megan Mika Mila Milo Mina Miriam Moritz
  Nadia Naomi Nelly Nico Nils Nina Noah Noel Nora Olaf Olga Oliver Olivia Omar Oscar Otis Otto Owen Pablo Pamela Paul Paula
  Pedro Petra Philip Pia Pierre Quentin Rachel Ralph Ramona Raul Rebecca Regina Rita Robert Robin Roland Rosa Rufus Ruth
  Sabine Sally Salma Sam Samir Sandra Sara Selma Serena Sidney Sigrid Silas Simon Sofia Sonja Stella Sven Tamara Tara Ted
  Teresa Thea Theo Tilda Tim Tina Tobias Toni Ugo Ulla Umar Ursula Vera Victor Vida Viola Vivian Wanda Werner Wilma Winston
  Xenia Yara Yusuf Yvonne Zara Zelda Zoe Zuri`);

export const surnames = held(`
  Abbott Adler Ahmed Amari Archer Baker Barlow Becker Bennett Berg Bianchi Bishop Blake Bloom Bolton Bowen Brandt Brooks Burke
  Carver Castro Chandler Chen Clarke Cole Cooper Costa Crane Cruz Dalton Davies Dean Doyle Drake Dubois Duran Eaton Ellis
  Engel Evans Farrell Ferrara Fischer Fletcher Flores Foster Frost Fuchs Gallo Garner Gibson Graves Greer Haas Hale Hansen
  Harper Hayes Hoffman Holt Horvath Hughes Hunt Ibsen Iqbal Jensen Jonsson Kaplan Keller Khan Klein Kovac Kumar Lambert Larsen
  Lehmann Lindqvist Lopez Lowell Maier Marsh Mason Mendes Meyer Molina Moreau Morris Muller Nash Nilsen Novak Nowak Okafor
  Olsen Ortega Osborne Palmer Parker Patel Pereira Petrov Pope Porter Quinn Ramos Reed Reyes Rhodes Ricci Rossi Rowe Salazar
  Sanders Santos Sato Schmidt Sharp Silva Sorensen Stone Suzuki Swanson Tanaka Taylor Thorne Torres Tucker Turner Vargas Vega
  Vogel Wagner Walsh Ward Weber West Winter Wolfe Wright Yamada Young Zhang Ziegler`);

export const cities = held(`
  Aachen Aarhus Aberdeen Adelaide Agadir Aleppo Alicante Almeria Antwerp Arequipa Arles Arras Augsburg Austin Avignon Bari
  Basel Belfast Bergamo Bergen Bilbao Bologna Bonn Bordeaux Boston Bremen Brescia Brest Bristol Bruges Brno Calais Cambridge
  Cannes Cardiff Catania Chester Chicago Cologne Como Cordoba Cork Cremona Cusco Dallas Danzig Darwin Davos Delft Denver Derby
  Detroit Dijon Dover Dresden Dundee Durban Durham Eindhoven Erfurt Essen Exeter Faro Ferrara Florence Freiburg Galway Geneva
  Genoa Ghent Glasgow Gothenburg Granada Graz Grenoble Haarlem Hamburg Hanover Haifa Houston Hull Innsbruck Izmir Jena Kassel
  Kiel Kobe Kyoto Lagos Lausanne Leeds Leiden Leipzig Liege Lille Limoges Linz Lodz Lucca Lucerne Lugano Lund Lyon Maastricht
  Malaga Malmo Mannheim Marseille Medina Memphis Metz Miami Milan Modena Munich Murcia Nagoya Nancy Nantes Naples Norwich
  Odense Oporto Orleans Osaka Ostend Oxford Padua Palermo Parma Pavia Perth Perugia Pisa Pittsburgh Plymouth Porto Potsdam
  Poznan Ravenna Reims Rennes Rimini Rostock Rouen Salerno Salford Salzburg Seattle Seville Siena Split Stavanger Stirling
  Strasbourg Stuttgart Swansea Sydney Tampere Tarragona Toledo Toronto Toulouse Trento Trieste Trondheim Turin Turku Ulm
  Uppsala Utrecht Valencia Venice Verona Vigo Weimar Worms York Zurich Zwolle`);

export const nouns = held(`
  anchor apron armchair arrow axe badge bag ball balloon banner barrel basin basket bath battery bead beam bed bell belt bench
  blanket bolt book boot bottle bowl box bracelet branch brick bridge broom brush bucket button cabin cable cage cake calendar
  camera candle canoe canvas cap cape car card carpet carriage cart castle ceiling chain chair chest chimney clock cloth cloud
  coat coin comb compass corner couch cradle crane crate crown curtain cushion desk dish door dress drill drum engine envelope
  fan farm feather fence field flag flask flute fork fountain frame garage gate globe glove guitar hammer handle harbor harp
  hat hedge helmet hill hook horn hose hotel hut island jacket jar jug kettle key kitchen kite knife knot ladder lake lamp
  lantern leaf lemon lens letter lid light locker magnet map marble market mask mat match medal mill mirror mitten motor
  mountain mug museum nail napkin necklace needle nest net notebook oar oven paddle page pan parcel path pearl pebble pen
  pencil piano pillow pin pipe plank plate pocket poem pool poster pot pouch puddle pump puppet purse puzzle quilt rack radio
  raft rail rake ramp razor ribbon river road robe rocket roof room rope rug ruler sack saddle sail sandal saw scale scarf
  school screen shelf shell shield ship shirt shoe shovel sink skirt sled sleeve sock sofa spade spoon stamp statue stick
  stool stove suitcase sweater switch sword table tank tent throne ticket tie tile toolbox torch towel tower toy train tray
  trophy truck trumpet tunnel umbrella vase vest violin wagon wall wallet watch wheel whistle window wire wrench yacht album
  alarm antenna apartment aquarium arch ashtray bandage banjo barn barrier baton beacon beaker billboard binder bookcase
  bouquet brooch bulb bumper bunk buoy bureau cabinet calculator cannon canal carton catapult cello chandelier chapel chisel
  cigar clarinet cliff coaster collar column costume counter crater crayon crib crutch dagger dam dart diary dice dresser
  dryer dustbin easel elevator emblem eraser faucet ferry fiddle figurine filter fireplace flashlight folder footstool fossil
  freezer funnel gallery geyser goblet gong gown grill hairbrush hammock handbag harness hinge icicle jigsaw kayak keyboard
  kimono kiosk knob lawn ledger lever lighthouse locket loom lorry magazine mailbox mallet mast meadow medallion microphone
  microscope monument mop mosaic mural necktie obelisk organ ornament padlock palette parachute pavilion pedal pendant
  pendulum pier pitcher plaque platter plough podium postcard printer prism pulley pyramid quill radiator receipt reel ribcage
  rowboat rudder satchel scooter scroll sculpture sewing shack shawl shutter sickle sieve silo skateboard skewer sleigh
  slipper snorkel socket spear sponge spring statuette submarine suit sundial swing syringe tambourine tapestry teapot
  telescope thermometer thimble tiara tinsel toaster tractor trampoline tricycle tripod trolley trombone trowel tub turban
  tweezer ukulele urn van veil vineyard visor waterfall weathervane well wheelbarrow windmill wreath xylophone zipper`);

export const jobs = held(`
  actor architect artist baker banker barber bookseller brewer builder butcher captain carpenter chef cleaner clerk cook
  dancer dentist designer detective diver doctor driver editor electrician engineer farmer firefighter fisherman florist
  gardener geologist glazier guard guide hairdresser hunter inventor jeweler jockey journalist judge lawyer lecturer librarian
  locksmith magician mechanic merchant midwife miner musician nurse optician painter pharmacist photographer physicist pianist
  plumber poet policeman porter postman potter printer professor reporter roofer sailor sculptor secretary shepherd shoemaker
  singer soldier surgeon tailor teacher translator violinist waiter watchmaker weaver welder writer zoologist`);

export const pets = held(`
  badger budgie canary cat chicken chinchilla cockatoo crab crow dog donkey dove duck ferret finch frog gecko goat goldfish
  hamster hare hen horse iguana lamb lizard llama lobster magpie mouse mule newt otter owl parakeet parrot pigeon alpaca
  antelope bat beaver bee bison buffalo butterfly camel caterpillar cheetah cobra condor cougar coyote cricket crocodile deer
  dolphin dragonfly eagle eel elk falcon flamingo fox gazelle giraffe gorilla grasshopper hawk heron hippo hornet jackal
  jaguar kangaroo koala ladybug lemur leopard lynx mole mongoose moose octopus ostrich panda panther peacock pelican penguin
  pony puppy rabbit raccoon rat raven rooster salamander sheep skunk snake sparrow spider squirrel swan tortoise turkey turtle
  weasel`);

export const foods = held(`
  almonds apples apricots artichokes asparagus avocados bacon bananas beans beef berries biscuits bread broccoli butter
  cabbage cakes carrots cashews celery cheese cherries chestnuts chocolate coconuts coffee cookies corn cream crackers
  cucumbers dates eggs figs fish flour garlic ginger grapes ham hazelnuts honey jam juice kale leeks lemons lentils lettuce
  limes mangoes melons milk mint muffins mushrooms mustard noodles nuts oats olives onions oranges pancakes papayas parsley
  pasta pastries peaches peanuts pears peas pickles pies pineapples plums pork potatoes prunes pumpkins radishes raisins
  raspberries rice salad salmon salt sausages soup spinach squash steak strawberries sugar toast tomatoes tuna turnips vanilla
  vinegar waffles walnuts yogurt zucchini`);

export const rooms = held(`
  attic balcony basement bedroom cabin cellar classroom closet conservatory corridor den garage greenhouse gym hall hallway
  hut kitchen laboratory laundry library loft lounge lobby pantry parlor playroom porch reception restaurant sauna shed stable
  studio study sunroom terrace veranda waiting wardrobe workshop aisle ballroom barracks bunker cloakroom cockpit courtroom
  courtyard cubicle darkroom dormitory foyer penthouse showroom sickroom stockroom storeroom tower treasury vault vestibule
  washroom`);

export const adjectives = held(`
  ancient big bitter bold brave bright broken busy calm careful cheap clean clever cloudy cold cool crooked curious dark deep
  dirty dry dusty eager early easy elegant empty famous fancy fast fierce fine flat fresh friendly funny giant glad golden
  grand happy hard heavy hollow honest hot huge humble icy jolly kind light little lively lonely loud lovely lucky mild misty
  modern neat new noble noisy odd old plain polite poor pretty proud quick quiet rare rich round rough rusty sad shiny shy
  silver simple sleepy slow smooth soft sour sweet strange strong sunny tender thick thin tidy tiny tired tough warm weak wet
  wide wild windy wise wooden young abrupt absent agile aging alert ample amused ardent arid artful awkward bald bland bleak
  blunt blurry bouncy brief brisk brittle bumpy candid careless charming cheerful chilly chubby clumsy coarse cozy crisp cruel
  curly cute daring decent dizzy drowsy dull earnest elderly fabulous faint faithful feeble flashy fluffy foamy fond fragile
  frail frosty fuzzy gifted glossy graceful greasy grumpy handy harsh hasty hearty helpless idle jealous juicy keen lanky
  lavish lean limp loyal lush mellow merry messy moody muddy naive nasty nimble numb obedient patient peaceful pious playful
  plump precious prickly puny quaint radiant ragged rapid restless rigid rowdy rugged rural sacred salty sandy scenic scruffy
  serene shabby sharp shrill sincere skinny slender slick slim sloppy smug snug solemn solid spicy splendid stale steady steep
  sticky stiff stout strict sturdy subtle swift tame tardy tasty tense timid tranquil unripe urban vague vast vivid wary weary
  wicked witty worn zealous`);

/** Returns an invented held-out word, such as `Belkano`. */
export function invented(chance: Dice): string {
  for (;;) {
    const syllables = Array.from({ length: chance.between(2, 3) }, () => syllable(chance));
    const word = `${syllables.join("")}${chance.pick(["", "", "n", "s", "r", "l"])}`;
    if (isHeld(word)) return word;
  }
}

/** Returns an invented held-out name. */
export function inventedName(chance: Dice): string {
  const word = invented(chance);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function syllable(chance: Dice): string {
  return chance.pick([..."bdfghjklmnprstvwz", "st", "tr", "br", "kl"]) + chance.pick([..."aeiou"]);
}

/** Returns a first name, sometimes an invented one. */
export function personName(chance: Dice): string {
  return chance.happens(0.2) ? inventedName(chance) : chance.pick(names);
}

/** Returns a held-out integer, or a small one; both ends are possible. */
export function heldNumber(chance: Dice, from: number, to: number): number {
  for (;;) {
    const number = chance.between(from, to);
    if (number < 10 || isHeld(String(number))) return number;
  }
}

function held(words: string): readonly string[] {
  return [...new Set(words.trim().split(/\s+/))].filter(isHeld);
}
