"""A score against what it costs, drawn by the server: no script, no request, no jump. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

FEWEST = 5  # points below which a picture says nothing
LONGEST_LABEL = 26  # characters; longer names are in the table only
LETTER, LINE = 7, 15  # what a letter takes in width and a line in height, about


@dataclass(frozen=True, slots=True)
class Point:
    """One entry: cost in US dollars (above 0), value a fraction."""

    name: str
    cost: float
    value: float
    is_verified: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    look: str  # CSS class: on the front, verified by us, or neither
    radius: float


@dataclass(frozen=True, slots=True)
class Label:
    x: float
    y: float
    anchor: str  # CSS class: "", "mid" or "end"
    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Size of a picture, and the margins its axes take."""

    width: int
    height: int
    left: int = 40
    right: int = 12
    top: int = 22
    bottom: int = 34

    @property
    def x_end(self) -> int:
        return self.width - self.right

    @property
    def y_end(self) -> int:
        return self.height - self.bottom


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything a template needs to write one SVG."""

    look: str
    frame: Frame
    dots: list[Dot]
    front: str  # path of the stepped line
    labels: list[Label]
    x_ticks: list[Tick]
    y_ticks: list[Tick]


BROAD = Frame(760, 300)
NARROW = Frame(340, 250)


def front_of(points: Sequence[Point]) -> list[Point]:
    """The points nobody beats on both counts, cheapest first."""
    found: list[Point] = []
    for point in sorted(points, key=lambda one: (one.cost, -one.value)):
        if not found or point.value > found[-1].value:
            found.append(point)
    return found


def pictures(points: Sequence[Point]) -> list[Picture]:
    """One picture for wide screens, one for phones; none where there is too little to see."""
    drawable = [point for point in points if point.cost > 0]
    if len(drawable) < FEWEST:
        return []
    return [_picture(drawable, BROAD, "broad"), _picture(drawable, NARROW, "narrow")]


class _Scale:
    """From dollars (logarithmic) and fractions to places in a frame."""

    def __init__(self, points: Sequence[Point], frame: Frame) -> None:
        costs = [log10(point.cost) for point in points]
        self.frame = frame
        self.low = floor(2 * min(costs)) / 2
        self.high = max(ceil(2 * max(costs)) / 2, self.low + 0.5)
        self.top = max(0.2, ceil(5 * max(point.value for point in points)) / 5)

    def x(self, cost: float) -> float:
        share = (log10(cost) - self.low) / (self.high - self.low)
        return round(self.frame.left + share * (self.frame.x_end - self.frame.left), 1)

    def y(self, value: float) -> float:
        height = self.frame.y_end - self.frame.top
        return round(self.frame.y_end - value / self.top * height, 1)

    def x_ticks(self) -> Iterator[Tick]:
        for power in range(floor(self.low), ceil(self.high) + 1):
            for digit in (1, 3):
                cost = digit * 10.0**power
                if self.low - 1e-9 <= log10(cost) <= self.high + 1e-9:
                    yield Tick(self.x(cost), f"{cost:g}")

    def y_ticks(self) -> Iterator[Tick]:
        for step in range(round(5 * self.top) + 1):
            yield Tick(self.y(step / 5), str(20 * step))


def _picture(points: Sequence[Point], frame: Frame, look: str) -> Picture:
    scale, front = _Scale(points, frame), front_of(points)
    return Picture(
        look=look,
        frame=frame,
        dots=list(_dots(points, front, scale)),
        front=_steps(front, scale),
        labels=list(_labels(front, scale)),
        x_ticks=list(scale.x_ticks()),
        y_ticks=list(scale.y_ticks()),
    )


def _dots(points: Sequence[Point], front: Sequence[Point], scale: _Scale) -> Iterator[Dot]:
    """Those that matter last, so that nothing covers them."""
    on_front = {id(point) for point in front}  # equal points are not the same one
    plain = [one for one in points if id(one) not in on_front and not one.is_verified]
    for point in plain:
        yield Dot(scale.x(point.cost), scale.y(point.value), "pt", 3)
    for point in front:
        if not point.is_verified:
            yield Dot(scale.x(point.cost), scale.y(point.value), "top", 3.5)
    for point in points:
        if point.is_verified:
            yield Dot(scale.x(point.cost), scale.y(point.value), "ours", 4.5)


def _steps(front: Sequence[Point], scale: _Scale) -> str:
    first, *others = front
    path = f"M{scale.x(first.cost)} {scale.y(first.value)}"
    return path + "".join(f"H{scale.x(one.cost)}V{scale.y(one.value)}" for one in others)


def _labels(front: Sequence[Point], scale: _Scale) -> list[Label]:
    """Names of the best, the cheapest, and where the front rises most, as far as there is room."""
    wanted = [front[-1], front[0]]
    if len(front) > 2:
        pairs = pairwise(front[:-1])
        wanted.append(max(pairs, key=lambda pair: pair[1].value - pair[0].value)[1])
    placed: list[Label] = []
    for point in dict.fromkeys(wanted):
        label = _label(point, scale, is_cheapest=point == front[0])
        if len(point.name) <= LONGEST_LABEL and not any(_overlap(label, one) for one in placed):
            placed.append(label)
    return placed


def _label(point: Point, scale: _Scale, *, is_cheapest: bool) -> Label:
    x, y = scale.x(point.cost), scale.y(point.value)
    if not is_cheapest and x - scale.frame.left > LETTER * len(point.name):
        return Label(x - 7, y - 7, "end", point.name)
    # Under its dot, where the front cannot cross it.
    return Label(max(x - 4, scale.frame.left + 2), y + LINE + 1, "", point.name)


def _overlap(one: Label, other: Label) -> bool:
    (left, right), (other_left, other_right) = _extent(one), _extent(other)
    return abs(one.y - other.y) < LINE and left < other_right and other_left < right


def _extent(label: Label) -> tuple[float, float]:
    width = LETTER * len(label.text)
    return (label.x - width, label.x) if label.anchor == "end" else (label.x, label.x + width)
