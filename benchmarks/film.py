"""Films a page and finds the first picture in which the model is to be seen.

Chromium's screencast hands over each picture that reaches the screen, with the time
when it did, so that both sides of the comparison are timed from outside, in the same
way. What a viewer shows a few seconds after its first colours is the picture that
counts; the first one that agrees with it, in the middle of the view where neither side
has panels, is the first picture.
"""

import base64
import io
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, FloatRect, Page

# The part of the view that is compared, as fractions of its width and height: between
# the web viewer's panels at 900 x 560, and below the toolbar of ours.
MIDDLE_X, MIDDLE_Y = (0.25, 0.69), (0.12, 0.85)

# Channels that differ by more are another colour. The model moves on and its quality is
# adapted meanwhile, so not all of the picture has to agree: floor and sky do.
TOLERANCE = 24
AGREEMENT = 0.6

# A view with fewer colours has no model in it; loading screens have a handful.
COLOURS = 40
# After the first colours: time for textures, and for a few frames of the slowest.
SETTLE_S = 4.0
TIMEOUT_S = 120.0
POLL_S = 0.1


@dataclass(frozen=True)
class Picture:
    """One picture as it came to the screen."""

    at: float  # seconds since the epoch
    jpeg: bytes

    def middle(self, view: "FloatRect") -> np.ndarray:
        """The middle of the view in it: (height, width, 3) uint8."""
        pixels = np.asarray(Image.open(io.BytesIO(self.jpeg)).convert("RGB"))
        x0, x1 = (round(view["x"] + share * view["width"]) for share in MIDDLE_X)
        y0, y1 = (round(view["y"] + share * view["height"]) for share in MIDDLE_Y)
        return pixels[y0:y1, x0:x1]


class Film:
    """A film of a page; `stop` ends it."""

    def __init__(self, page: "Page", devtools: "CDPSession") -> None:
        """Starts to film."""
        self.pictures: list[Picture] = []
        self._page = page
        self._devtools = devtools
        devtools.on("Page.screencastFrame", self._on_picture)
        options = {"format": "jpeg", "quality": 80, "everyNthFrame": 1}
        devtools.send("Page.startScreencast", options)

    def _on_picture(self, event: dict[str, Any]) -> None:
        jpeg = base64.b64decode(event["data"])
        self.pictures.append(Picture(event["metadata"]["timestamp"], jpeg))
        session = {"sessionId": event["sessionId"]}
        self._devtools.send("Page.screencastFrameAck", session)

    def stop(self) -> None:
        """Ends the film; the pictures stay."""
        self._devtools.send("Page.stopScreencast")
        self._devtools.remove_listener("Page.screencastFrame", self._on_picture)

    def wait_for_first_picture(self, selector: str, since: float) -> float:
        """Waits until the view shows the model and has settled, and ends the film.

        Args:
            selector: The view's element; it need not be there yet.
            since: Earlier pictures don't count. Seconds since the epoch.

        Returns:
            When the model was first to be seen, seconds since the epoch.

        Raises:
            TimeoutError: Nothing came.
        """
        element = self._page.locator(selector).first
        element.wait_for(state="visible", timeout=TIMEOUT_S * 1000)
        deadline = time.monotonic() + TIMEOUT_S
        while not self._shows_model(element.bounding_box(), since):
            if time.monotonic() > deadline:
                message = f"no picture of the model in {selector} within {TIMEOUT_S} s"
                raise TimeoutError(message)
            self._page.wait_for_timeout(POLL_S * 1000)
        self._page.wait_for_timeout(SETTLE_S * 1000)
        view = element.bounding_box()
        self.stop()
        if view is None:
            message = f"{selector} left the page while it was filmed"
            raise TimeoutError(message)
        taken = [picture for picture in self.pictures if picture.at > since]
        return first_picture(taken, view)

    def _shows_model(self, view: "FloatRect | None", since: float) -> bool:
        last = self.pictures[-1] if self.pictures else None
        return bool(
            view and last and last.at > since and has_colours(last.middle(view))
        )


def has_colours(pixels: np.ndarray) -> bool:
    """Whether a picture has as many colours as a model has."""
    # Every fourth pixel will do: what takes time here is taken from what is measured.
    some = pixels[::4, ::4].reshape(-1, 3) >> 3
    return len(np.unique(some, axis=0)) > COLOURS


def agreement(pixels: np.ndarray, settled: np.ndarray) -> float:
    """The share of the pixels that have the same colour in both; 0 if sizes differ."""
    if pixels.shape != settled.shape:
        return 0.0
    difference = np.abs(pixels.astype(int) - settled.astype(int)).max(axis=-1)
    return float((difference <= TOLERANCE).mean())


def first_picture(pictures: list[Picture], view: "FloatRect") -> float:
    """When the first picture that shows what the last one shows came to the screen."""
    settled = pictures[-1].middle(view)
    for picture in pictures:
        pixels = picture.middle(view)
        if has_colours(pixels) and agreement(pixels, settled) >= AGREEMENT:
            return picture.at
    return pictures[-1].at
