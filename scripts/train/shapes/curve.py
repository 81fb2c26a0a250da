"""Plots a run's loss.csv as SVG: `python3 scripts/train/shapes/curve.py RUN/loss.csv TITLE curve.svg`."""
import csv
import math
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 260, 56, 36, 30


def ticks(low, high):
    """Returns 1, 2 and 5 times the powers of ten from low to high."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [m * 10.0 ** p for p in powers for m in (1, 2, 5) if low <= m * 10.0 ** p <= high]


def svg(rows, title):
    """`rows` of (samples, loss): the loss on a logarithmic scale over the samples seen."""
    most = rows[-1][0]
    low, high = min(loss for _, loss in rows) * 0.9, max(loss for _, loss in rows) * 1.1
    x = lambda samples: LEFT + (WIDTH - LEFT - 16) * samples / most
    y = lambda loss: TOP + (HEIGHT - TOP - BOTTOM) * math.log(high / loss) / math.log(high / low)
    lines = [f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y(t):.1f}" y2="{y(t):.1f}" stroke="#ddd"/>'
             f'<text x="{LEFT - 6}" y="{y(t) + 4:.1f}" text-anchor="end">{t:g}</text>' for t in ticks(low, high)]
    step = 10 ** math.floor(math.log10(most))
    step = step if most / step >= 4 else step / 2 if most / step >= 2 else step / 5
    marks = [f'<text x="{x(s * step):.1f}" y="{HEIGHT - 16}" text-anchor="middle">{s * step / 1000:g} k</text>' for s in range(int(most / step) + 1)]
    points = " ".join(f"{x(s):.1f},{y(v):.1f}" for s, v in rows)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><text x="{LEFT}" y="18" font-size="14">{title}</text>'
            + "".join(lines + marks) + f'<polyline points="{points}" fill="none" stroke="#1f5fbf" stroke-width="1.5"/></svg>\n')


def main():
    source, title, target = sys.argv[1:4]
    with open(source, encoding="utf-8") as file:
        rows = [(int(row[1]), float(row[3])) for row in csv.reader(file)]
    with open(target, "w", encoding="utf-8") as file:
        file.write(svg(rows, title))


if __name__ == "__main__":
    main()
