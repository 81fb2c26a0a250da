"""Renders scenes to pixels: anti-aliased coverage masks from signed distances, cached, blended into numpy arrays.

A mask depends on the shape, its radius and the sub-pixel position of its centre, all in quarter pixels, so that after a
few thousand pictures nearly every mask is found in the cache and a picture costs some tens of microseconds.
"""
import functools
import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSerif.ttf"]


def picture(scene, side):
    """Renders the scene as uint8 [side, side, 3]."""
    image = np.empty((side, side, 3), np.float32)
    image[:] = scene.ground_rgb
    if scene.text:
        blend_text(image, scene)
    for thing in scene.things:
        left, fx = whole_and_quarter(thing.x * side)
        top, fy = whole_and_quarter(thing.y * side)
        coverage = mask(thing.shape, round(thing.radius * side * 4), fx, fy, scene.stretch)
        half = coverage.shape[0] // 2
        blend(image, coverage, left - half, top - half, thing.rgb)
    return (image + 0.5).astype(np.uint8)


def whole_and_quarter(value):
    quarters = round(value * 4)
    return quarters // 4, quarters % 4


def blend(image, coverage, left, top, rgb):
    side = image.shape[0]
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + coverage.shape[1], side), min(top + coverage.shape[0], side)
    part = coverage[y0 - top:y1 - top, x0 - left:x1 - left, None]
    window = image[y0:y1, x0:x1]
    window += part * (np.array(rgb, np.float32) - window)


@functools.lru_cache(maxsize=60_000)
def mask(shape, quarter_radius, fx, fy, stretch):
    """Returns the coverage of each pixel, 0 to 1; the centre is fx, fy quarter pixels after the middle pixel's corner."""
    radius = quarter_radius / 4
    wide, high = radius * min(1, 1 / stretch), radius * min(1, stretch)
    half = math.ceil(radius * 1.1) + 2
    axis = np.arange(2 * half, dtype=np.float32) - half + 0.5
    distance = DISTANCES[shape]((axis - fx / 4)[None, :] / wide, (axis - fy / 4)[:, None] / high) * min(wide, high)
    return np.clip(0.5 - distance, 0, 1).astype(np.float32)


def circle(x, y):
    return np.hypot(x, y) - 1


def ring(x, y):
    return np.abs(np.hypot(x, y) - 0.78) - 0.22


def moon(x, y):
    return np.maximum(np.hypot(x, y) - 1, 0.86 - np.hypot(x - 0.48, y))


def polygon(points):
    """Returns the signed distance to a closed polygon, as a function of x and y."""
    start = np.array(points, np.float32)
    edge = np.roll(start, -1, 0) - start

    def distance(x, y):
        x, y = np.broadcast_arrays(x, y)
        px, py = x[..., None] - start[:, 0], y[..., None] - start[:, 1]
        along = np.clip((px * edge[:, 0] + py * edge[:, 1]) / (edge ** 2).sum(1), 0, 1)
        nearest = np.hypot(px - along * edge[:, 0], py - along * edge[:, 1]).min(-1)
        above = py >= 0
        crosses = above != np.roll(above, -1, -1)
        side = edge[:, 0] * py - edge[:, 1] * px
        inside = ((crosses & ((side > 0) == (edge[:, 1] > 0))).sum(-1) % 2) == 1
        return np.where(inside, -nearest, nearest)

    return distance


def regular(count, start, radii):
    """Returns corners on circles of the given radii in turn; `start` in degrees, 0 to the right, clockwise."""
    angles = [math.radians(start + 360 * i / count) for i in range(count)]
    return [(radii[i % len(radii)] * math.cos(a), radii[i % len(radii)] * math.sin(a)) for i, a in enumerate(angles)]


def heart_points():
    turns = [2 * math.pi * i / 40 for i in range(40)]
    curve = lambda t: -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t))
    return [(16 * math.sin(t) ** 3 / 16.5, (curve(t) - 2.5) / 16.5) for t in turns]


def cross_points(arm=0.3, end=0.95):
    corner = [(arm, -end), (arm, -arm), (end, -arm), (end, arm), (arm, arm), (arm, end)]
    return corner + [(-x, -y) for x, y in corner]


DISTANCES = {
    "circle": circle, "ring": ring, "moon": moon,
    "square": polygon(regular(4, 45, [1.2])),
    "diamond": polygon([(0, -1.08), (0.78, 0), (0, 1.08), (-0.78, 0)]),
    "triangle": polygon([(0, -1), (1, 0.8), (-1, 0.8)]),
    "star": polygon(regular(10, -90, [1.1, 0.46])),
    "heart": polygon(heart_points()),
    "cross": polygon(cross_points()),
    "arrow": polygon([(0.98, 0), (0.1, -0.88), (0.1, -0.32), (-0.95, -0.32), (-0.95, 0.32), (0.1, 0.32), (0.1, 0.88)]),
}


@functools.lru_cache(maxsize=256)
def font(name, pixels):
    return ImageFont.truetype(FONT_FOLDER + name, pixels)


def blend_text(image, scene):
    """Writes the scene's text: font, height and position follow from the scene's seed."""
    side = image.shape[0]
    face = FONTS[scene.seed % len(FONTS)]
    widest = 0.92 * side / (0.75 * len(scene.text))
    pixels = int(min(widest, side * (0.2 + 0.4 * (scene.seed // 8 % 64) / 63)))
    left, top, right, bottom = font(face, pixels).getbbox(scene.text)
    width, height = right - left, bottom - top
    free_x, free_y = max(side - width - 4, 0), max(side - height - 4, 0)
    x = 2 + free_x * (scene.seed // 512 % 64) / 63
    y = 2 + free_y * (scene.seed // 32768 % 64) / 63
    layer = Image.new("L", (side, side))
    ImageDraw.Draw(layer).text((x - left, y - top), scene.text, fill=255, font=font(face, pixels))
    blend(image, np.asarray(layer, np.float32) / 255, 0, 0, scene.text_rgb)
