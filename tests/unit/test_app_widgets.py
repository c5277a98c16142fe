"""The rows of the panels: what a person does to them, and what comes of it."""

import numpy as np
import pytest
from imgui_bundle import ImVec2, imgui

from studio_nb.app import widgets
from studio_nb.ui import UiContext, UiInput


class Row:
    """One row in a window; it notes what the widget returned and where it stands."""

    def __init__(self, draw):
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.draw = draw
        self.results = []
        self.frames(3)

    def frames(self, count):
        for _ in range(count):
            with self.ui.frame(400, 300, 1, 1 / 60):
                imgui.set_next_window_pos(ImVec2(0, 0))
                imgui.set_next_window_size(ImVec2(300, 300))
                imgui.begin("window")
                with widgets.rows("rows") as visible:
                    if visible:
                        self.results.append(self.draw())
                        self.low = imgui.get_item_rect_min()
                        self.high = imgui.get_item_rect_max()
                imgui.end()

    def do(self, *events):
        self.results.clear()
        self.input.apply(events)
        self.frames(12)
        return self.results

    @property
    def middle(self):
        return (self.low.x + self.high.x) / 2, (self.low.y + self.high.y) / 2

    def click(self, count=1):
        x, y = self.middle
        at = {"b": 0, "x": x, "y": y, "m": 0}
        return self.do(*([{"t": "down", **at}, {"t": "up", **at}] * count))

    def drag(self, dx):
        x, y = self.middle
        at = {"b": 0, "x": x, "y": y, "m": 0}
        self.do({"t": "down", **at})
        results = [*self.do({"t": "move", "x": x + dx, "y": y, "m": 0})]
        return results + self.do({"t": "up", **at, "x": x + dx})

    def type(self, text):
        self.click(2)
        keys = [
            {"t": "key", "code": "Enter", "key": "Enter", "m": 0, "d": d}
            for d in (1, 0)
        ]
        return self.do({"t": "text", "s": text}, *keys)


@pytest.fixture
def row():
    made = []

    def make(draw):
        made.append(Row(draw))
        return made[-1]

    yield make
    for one in made:
        one.ui.close()


def held(edit):
    """Returns a drawing function that keeps the value it is given back."""
    state = {}

    def draw(**start):
        state.setdefault("value", start["value"])
        changed, state["value"] = edit(state["value"])
        return changed, state["value"]

    return state, draw


def test_a_typed_number_is_exactly_what_was_typed(row):
    state, draw = held(lambda v: widgets.number("timestep", v, 0.0, 1.0, unit="s"))
    one = row(lambda: draw(value=0.002))
    one.type("0.0035")
    assert state["value"] == 0.0035


def test_a_number_stays_within_its_bounds(row):
    state, draw = held(lambda v: widgets.number("share", v, 0.0, 1.0))
    one = row(lambda: draw(value=0.5))
    one.type("7")
    assert state["value"] == 1.0
    one.type("-7")
    assert state["value"] == 0.0


@pytest.mark.parametrize("nonsense", ["", "abc", "1e", "--"])
def test_nonsense_typed_into_a_number_is_no_nan(row, nonsense):
    state, draw = held(lambda v: widgets.number("share", v, 0.0, 1.0))
    one = row(lambda: draw(value=0.5))
    one.type(nonsense)
    assert 0.0 <= state["value"] <= 1.0


@pytest.mark.parametrize("typed", ["nan", "inf", "-inf", "1e999"])
def test_a_number_without_bounds_stays_finite(row, typed):
    state, draw = held(lambda v: widgets.number("free", v))
    one = row(lambda: draw(value=0.5))
    one.type(typed)
    assert np.isfinite(state["value"])


def test_dragging_changes_a_number_and_at_rest_nothing_is_changed(row):
    state, draw = held(lambda v: widgets.number("gain", v))
    one = row(lambda: draw(value=10.0))
    assert not any(changed for changed, _ in one.do())
    assert any(changed for changed, _ in one.drag(40))
    assert state["value"] > 10.0


def test_a_vector_is_edited_in_place_and_keeps_its_other_numbers_to_the_bit(row):
    values = np.array([0.1, 1 / 3, 2 / 3])
    others = values[:2].copy()
    one = row(lambda: widgets.vector("gravity", values, unit="m/s²"))
    one.low = ImVec2(one.high.x - (one.high.x - one.low.x) / 4, one.low.y)
    one.type("-9.81")
    assert values[2] == -9.81
    assert (values[:2] == others).all()


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 9])
def test_a_vector_of_any_length_is_drawn(row, length):
    values = np.arange(float(length))
    one = row(lambda: widgets.vector("v", values))
    assert not any(one.do())


def test_a_choice_takes_the_one_that_is_clicked(row):
    state, draw = held(lambda v: widgets.choice("solver", v, ["PGS", "CG", "Newton"]))
    one = row(lambda: draw(value=2))
    one.click()
    x, y = one.middle
    at = {"b": 0, "x": x, "y": y + 40, "m": 0}
    one.do({"t": "down", **at}, {"t": "up", **at})
    assert state["value"] in (0, 1)


def test_a_choice_that_is_not_in_the_list_is_shown_as_its_number(row):
    one = row(lambda: widgets.choice("solver", 99, ["PGS"]))
    assert one.do()[-1] == (False, 99)


def test_a_check_box_turns(row):
    state, draw = held(lambda v: widgets.check("on", v))
    one = row(lambda: draw(value=False))
    one.click()
    assert state["value"] is True


@pytest.mark.parametrize("channels", [3, 4])
def test_a_colour_at_rest_keeps_its_bits(row, channels):
    rgba = np.full(channels, 1 / 3, dtype=np.float32)
    before = rgba.copy()
    one = row(lambda: widgets.colour("haze", rgba))
    assert not any(one.do())
    assert (rgba == before).all()
