/** Dates as the C function strftime writes them, in English and in the time zone of the machine. */

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
/** Directives that stand for several others. */
const composed: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  h: "%b",
  n: "\n",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  t: "\t",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
  "%": "%",
  // The date of a template has no time zone.
  z: "",
  Z: "",
};
const dayMs = 86_400_000;

/** @param format with directives such as `%Y`; `%-d` leaves out leading zeros */
export function strftime(date: Date, format: string): string {
  return format.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, directive: string) => {
    const parts = composed[directive];
    if (parts !== undefined) return directive === "%" ? "%" : cased(strftime(date, parts), flag);
    const name = writeName(date, directive);
    if (name !== null) return cased(name, flag);
    const number = writeNumber(date, directive);
    return number === null ? whole : filled(number, flag);
  });
}

function cased(text: string, flag: string): string {
  return flag === "^" ? text.toUpperCase() : text;
}

function filled([value, width, fill]: readonly [number, number, string], flag: string): string {
  if (flag === "-") return String(value);
  return String(value).padStart(width, flag === "_" ? " " : flag === "0" ? "0" : fill);
}

function writeName(date: Date, directive: string): string | null {
  const [day = "", month = ""] = [days[date.getDay()], months[date.getMonth()]];
  switch (directive) {
    case "A":
      return day;
    case "a":
      return day.slice(0, 3);
    case "B":
      return month;
    case "b":
      return month.slice(0, 3);
    case "p":
      return date.getHours() < 12 ? "AM" : "PM";
    case "P":
      return date.getHours() < 12 ? "am" : "pm";
    default:
      return null;
  }
}

/** Returns a number, its width and what fills it. */
function writeNumber(date: Date, directive: string): readonly [number, number, string] | null {
  const dayOfYear = yearDay(date);
  const values: Readonly<Record<string, () => readonly [number, number, string]>> = {
    Y: () => [date.getFullYear(), 1, "0"],
    C: () => [Math.floor(date.getFullYear() / 100), 2, "0"],
    y: () => [date.getFullYear() % 100, 2, "0"],
    m: () => [date.getMonth() + 1, 2, "0"],
    d: () => [date.getDate(), 2, "0"],
    e: () => [date.getDate(), 2, " "],
    H: () => [date.getHours(), 2, "0"],
    k: () => [date.getHours(), 2, " "],
    I: () => [((date.getHours() + 11) % 12) + 1, 2, "0"],
    l: () => [((date.getHours() + 11) % 12) + 1, 2, " "],
    M: () => [date.getMinutes(), 2, "0"],
    S: () => [date.getSeconds(), 2, "0"],
    f: () => [date.getMilliseconds() * 1000, 6, "0"],
    j: () => [dayOfYear, 3, "0"],
    s: () => [Math.floor(date.getTime() / 1000), 1, "0"],
    u: () => [date.getDay() || 7, 1, "0"],
    w: () => [date.getDay(), 1, "0"],
    U: () => [Math.floor((dayOfYear + 6 - date.getDay()) / 7), 2, "0"],
    W: () => [Math.floor((dayOfYear + 6 - ((date.getDay() + 6) % 7)) / 7), 2, "0"],
    V: () => [isoWeek(date)[1], 2, "0"],
    G: () => [isoWeek(date)[0], 1, "0"],
    g: () => [isoWeek(date)[0] % 100, 2, "0"],
  };
  return Object.hasOwn(values, directive) ? (values[directive]?.() ?? null) : null;
}

/** Days since the beginning of the year, from 1. Counted in UTC, so that no day has 23 hours. */
function yearDay(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / dayMs + 1;
}

/** Returns the year and the week of ISO 8601, which belong to the week's Thursday. */
function isoWeek(date: Date): readonly [number, number] {
  const thursday = new Date(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7)),
  );
  const year = thursday.getUTCFullYear();
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMs / 7) + 1];
}
