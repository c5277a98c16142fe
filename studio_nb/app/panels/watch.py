"""The section Watch: any numbers of mjModel and mjData, with plots.

`App` draws it in the Inspector, on the viewer thread.
"""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
from imgui_bundle import icons_fontawesome_6, imgui

from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import fields, listing, series
from studio_nb.ui import theme

_PLOT_EM = 5.5
# A longer array is not read at a glance, nor is a longer list of watches.
_MOST_NUMBERS = 16
_MOST_WATCHES = 32
_PER_LINE = 3
_LONGEST = 120

_ENTER = (
    imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.callback_completion
)
_HINT = "qpos[3], xpos[torso, 2], opt.timestep"


@dataclasses.dataclass
class _Watch:
    """One expression.

    Attributes:
        text: What the person typed.
        field: What it names in the present model, or None.
        problem: Why there are no numbers, or "".
        values: The numbers, shape (n,).
        plotted: Whether its plot is there.
        curve: The last seconds.
    """

    text: str
    field: fields.Field | None = None
    problem: str = ""
    values: npt.NDArray[np.float64] = dataclasses.field(
        default_factory=lambda: np.zeros(0)
    )
    plotted: bool = True
    curve: series.Series = dataclasses.field(default_factory=series.Series)

    def look_up(self, scope: Scope) -> None:
        """Finds the field in a model."""
        self.field, self.problem = None, ""
        self.curve.clear()
        try:
            self.field = fields.parse(self.text, scope.model, scope.data)
        except fields.FieldError as error:
            self.problem = str(error)

    def sample(self, scope: Scope) -> None:
        """Reads the numbers of this frame."""
        if self.field is None:
            return
        try:
            values = self.field.read(scope.model, scope.data)
        except fields.FieldError as error:
            self.problem = str(error)
            return
        if len(values) > _MOST_NUMBERS:
            self.problem = (
                f"{self.field.name} has {len(values)} numbers here: pick at most "
                f"{_MOST_NUMBERS}, as in [0] or [0:3]"
            )
            return
        self.values, self.problem = values, ""
        self.curve.add(scope.data.time, values)


class Watch(Panel):
    """A list of expressions, with their values and plots."""

    title = "Watch"

    def __init__(self) -> None:
        """Starts empty."""
        self._watches: list[_Watch] = []
        self._typed = ""
        self._problem = ""
        self._suggests = False
        self._focus = False
        self._new = True

    @property
    def problem(self) -> str:
        """What is wrong with the expression that was entered last, or ""."""
        return self._problem

    @property
    def problems(self) -> dict[str, str]:
        """Expressions that show no numbers now, and why."""
        return {w.text: w.problem for w in self._watches if w.problem}

    @property
    def values(self) -> dict[str, list[float]]:
        """The other expressions, and their numbers."""
        return {w.text: w.values.tolist() for w in self._watches if not w.problem}

    def keeps(self) -> dict[str, Any]:
        """Returns the expressions, and which are plotted."""
        return {"watches": [[w.text, w.plotted] for w in self._watches]}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over the expressions, and which are plotted."""
        watches = kept.get("watches")
        if not isinstance(watches, list):
            return
        self._watches = [
            _Watch(text[:_LONGEST], plotted=plotted)
            for text, plotted in (w for w in watches if _is_watch(w))
        ][:_MOST_WATCHES]
        self._new = True

    def on_model(self, scope: Scope) -> None:
        """Looks the expressions up anew when the next frame is drawn."""
        del scope
        self._new = True

    def update(self, scope: Scope) -> None:
        """Reads the numbers of this frame."""
        if self._new:
            self._new = False
            for watch in self._watches:
                watch.look_up(scope)
        for watch in self._watches:
            watch.sample(scope)

    def draw(self, scope: Scope) -> None:
        """Draws the field to add an expression, and the list."""
        self._draw_input(scope)
        if not self._watches:
            listing.say("Nothing is watched: name a field of mjData or mjModel above.")
        removed = None
        for place, watch in enumerate(self._watches):
            imgui.push_id(place)
            if self._draw_watch(scope, watch):
                removed = place
            imgui.pop_id()
        if removed is not None:
            del self._watches[removed]

    def _draw_input(self, scope: Scope) -> None:
        if self._focus:
            imgui.set_keyboard_focus_here()
            self._focus = False
        imgui.set_next_item_width(-1.0)
        entered, self._typed = imgui.input_text_with_hint(
            "##expression", _HINT, self._typed, _ENTER, _complete
        )
        active = imgui.is_item_active()
        if entered and self._typed.strip():
            self._add(scope, self._typed.strip())
            self._focus = True
        if self._problem:
            _draw_problem(self._problem, scope.palette)
        found = fields.suggestions(self._typed)
        # Pressing a suggestion takes the focus from the input before it is chosen.
        if not found or not (active or self._suggests):
            self._suggests = False
            return
        imgui.begin_group()
        for name in found:
            if imgui.selectable(name, False)[0]:  # noqa: FBT003 - none is selected
                self._typed, self._suggests, self._focus = name, False, True
        imgui.end_group()
        self._suggests = active or imgui.is_item_hovered()

    def _add(self, scope: Scope, text: str) -> None:
        """Adds a watch, or tells what is wrong with it and leaves it to mend."""
        watch = _Watch(text[:_LONGEST])
        watch.look_up(scope)
        watch.sample(scope)
        self._problem = watch.problem
        if len(self._watches) >= _MOST_WATCHES:
            self._problem = f"{_MOST_WATCHES} are watched already: remove one first"
        if not self._problem:
            self._watches.append(watch)
            self._typed = ""

    def _draw_watch(self, scope: Scope, watch: _Watch) -> bool:
        """Draws an expression; returns whether it is to be removed."""
        fa = icons_fontawesome_6
        removed = imgui.small_button(f"{fa.ICON_FA_XMARK}###remove")
        imgui.set_item_tooltip("Stop watching")
        imgui.same_line()
        if imgui.small_button(f"{fa.ICON_FA_CHART_LINE}###plot"):
            watch.plotted = not watch.plotted
        imgui.set_item_tooltip("Hide the plot" if watch.plotted else "Show a plot")
        imgui.same_line()
        imgui.text_disabled(watch.text)
        listing.touched(watch.text)
        if watch.problem:
            _draw_problem(watch.problem, scope.palette)
            return removed
        words = [listing.fixed(value, 4) for value in watch.values.tolist()]
        for start in range(0, len(words), _PER_LINE):
            imgui.text_unformatted(" ".join(words[start : start + _PER_LINE]))
        if watch.plotted and words:
            labels = [str(i) for i in range(len(words))]
            height = _PLOT_EM * scope.em
            series.plot("##plot", watch.curve, labels, scope.palette, height)
        return removed


def _draw_problem(text: str, palette: theme.Palette) -> None:
    imgui.push_style_color(imgui.Col_.text, theme.rgba(palette.error))
    imgui.text_wrapped(text)
    imgui.pop_style_color()


def _complete(typed: imgui.InputTextCallbackData) -> int:
    """Completes what was typed with the first suggestion, on Tab."""
    # The stubs call the buffer an int; it is the text.
    found = fields.suggestions(str(typed.buf))
    if found:
        typed.delete_chars(0, typed.buf_text_len)
        typed.insert_chars(0, found[0])
    return 0


def _is_watch(kept: object) -> bool:
    """Tells whether something remembered is an expression with its choice."""
    match kept:
        case [str(), bool()]:
            return True
    return False
