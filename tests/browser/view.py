"""A viewer in a cell's output, as pixels and as something to click on.

What it knows of the page's structure stands at the top. Pixels are those on the screen:
scene, panels and all, as a person sees them.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Locator

    from tests.browser.notebook import Notebook

VIEW = ".snb-view"
TOOLBAR_HEIGHT = 34

# A pixel has changed when a channel differs by more than this: smoothing at an edge,
# and the finer picture that is drawn once all is still, must not count.
TOLERANCE = 24


class View:
    """One viewer in the page."""

    def __init__(self, notebook: Notebook, index: int = 0) -> None:
        """Names a viewer; it need not be there yet.

        Args:
            notebook: The notebook that shows it.
            index: Which of the page's viewers, from 0, from the top.
        """
        self.notebook = notebook
        self.page = notebook.page
        self.index = index

    @property
    def root(self) -> Locator:
        """The viewer's element."""
        return self.page.locator(VIEW).nth(self.index)

    def box(self) -> FloatRect:
        """Where it is on the page, in CSS pixels."""
        self.root.wait_for(state="visible")
        box = self.root.bounding_box()
        assert box is not None
        return box

    def pixels(self) -> np.ndarray:
        """What is on the screen there: (height, width, 3) uint8."""
        png = self.page.screenshot(clip=self.box())
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))

    def wait_until_drawn(self, timeout_s: float = 40) -> np.ndarray:
        """Waits for a picture with many colours, and returns it."""

        def drawn() -> list[np.ndarray]:
            pixels = self.pixels()
            return [pixels] if colours(pixels) > 40 else []

        self.root.wait_for(state="visible", timeout=timeout_s * 1000)
        return self.notebook.poll(drawn, "picture in the view", timeout_s)[0]

    def wait_until_changed(
        self, since: np.ndarray, share: float = 0.002, timeout_s: float = 20
    ) -> float:
        """Waits until a share of the pixels is another; returns the share."""
        return self.notebook.poll(
            lambda: (now := changed(since, self.pixels())) > share and now,
            f"change of {share:.1%} of the pixels",
            timeout_s,
        )

    def wait_until_still(self, timeout_s: float = 30) -> np.ndarray:
        """Waits until three pictures in a row are one, and returns it."""
        last = self.pixels()
        same = 0

        def still() -> bool:
            nonlocal last, same
            now = self.pixels()
            same = same + 1 if changed(last, now) < 1e-4 else 0
            last = now
            return same >= 2

        self.notebook.poll(still, "still picture", timeout_s)
        return last

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A place in the view, in fractions of its size, as page coordinates."""
        box = self.box()
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def drag(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        button: Any = "left",
        key: str | None = None,
        steps: int = 12,
    ) -> None:
        """Drags between two places, in fractions of the view, with a key held."""
        self.page.mouse.move(*self.point(*start))
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.down(button=button)
        self.page.mouse.move(*self.point(*end), steps=steps)
        self.page.mouse.up(button=button)
        if key:
            self.page.keyboard.up(key)

    def wheel(self, place: tuple[float, float], dy: float) -> None:
        """Turns the wheel over a place; negative is up, a notch is about 100."""
        self.page.mouse.move(*self.point(*place))
        self.page.mouse.wheel(0, dy)

    def toolbar_brightness(self) -> float:
        """How bright the middle of the toolbar is, of 255."""
        strip = self.pixels()[2 : TOOLBAR_HEIGHT - 2]
        middle = strip.shape[1] // 2
        return float(np.median(strip[:, middle - 50 : middle + 50]))

    def text(self) -> str:
        """The words that the view itself shows: its status line and its overlay."""
        return self.root.inner_text()


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of pixels that differ; 1 when the sizes do."""
    if before.shape != after.shape:
        return 1.0
    difference = np.abs(before.astype(int) - after.astype(int)).max(axis=-1)
    return float((difference > TOLERANCE).mean())


def colours(pixels: np.ndarray) -> int:
    """How many clearly different colours a picture has: 1 where nothing is drawn."""
    return len(np.unique(pixels.reshape(-1, 3) >> 3, axis=0))
