"""Events of the page reach ImGui; malformed ones do not get far."""

import math

import pytest
from imgui_bundle import imgui

from studio_nb.ui import UiContext, UiInput, keys


class Page:
    """A context that gets events, and what ImGui made of them, frame by frame."""

    def __init__(self):
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.text = ""
        self.clicks = 0
        self.wheel = [0.0, 0.0]

    def frame(self):
        with self.ui.frame(400, 300, 1, 1 / 60):
            imgui.set_next_window_pos((0, 0))
            imgui.set_next_window_size((200, 200))
            imgui.begin("window", flags=imgui.WindowFlags_.no_title_bar)
            imgui.set_cursor_pos((10, 10))
            self.clicks += imgui.button("button", (100, 30))
            imgui.set_cursor_pos((10, 60))
            _, self.text = imgui.input_text("##input", self.text)
            imgui.end()
            io = imgui.get_io()
            self.mouse = io.mouse_pos.x, io.mouse_pos.y
            self.wheel[0] += io.mouse_wheel_h
            self.wheel[1] += io.mouse_wheel
            self.mods = io.key_ctrl, io.key_shift, io.key_alt, io.key_super
            self.down = {key for key in keys.KEYS.values() if imgui.is_key_down(key)}

    def do(self, *events, frames=6):
        self.input.apply(events)
        for _ in range(frames):
            self.frame()

    def focus_input(self):
        self.do(*click(20, 70))


def inside(position):
    return all(abs(coordinate) < 1e6 for coordinate in position)


def click(x, y, m=0):
    at = {"b": 0, "x": x, "y": y, "m": m}
    return {"t": "down", **at}, {"t": "up", **at}


def key(code, pressed, m=0, typed=""):
    return {
        "t": "key",
        "code": code,
        "key": typed,
        "d": int(pressed),
        "m": m,
        "repeat": 0,
    }


def tap(code, m=0, typed=""):
    return key(code, pressed=True, m=m, typed=typed), key(code, pressed=False, m=m)


@pytest.fixture
def page():
    page = Page()
    for _ in range(3):
        page.frame()
    yield page
    page.ui.close()


def test_the_mouse_moves_and_leaves(page):
    page.do({"t": "move", "x": 12, "y": 300})
    assert page.mouse == (12, 300)
    page.do({"t": "leave"})
    assert not inside(page.mouse)


def test_a_click_that_arrives_whole_is_a_click(page):
    page.do(*click(20, 20))
    assert page.clicks == 1


def test_two_clicks_that_arrive_together_are_two(page):
    page.do(*click(20, 20), *click(20, 20), frames=10)
    assert page.clicks == 2


def test_a_click_elsewhere_is_none(page):
    page.do(*click(300, 250))
    assert page.clicks == 0


def test_the_context_is_unsettled_while_events_wait(page):
    for _ in range(100):
        page.frame()
    page.do(*click(20, 20), frames=1)
    assert page.ui.unsettled


def test_the_wheel_turns_in_notches(page):
    page.do({"t": "wheel", "dx": 0.5, "dy": -2, "x": 20, "y": 20})
    assert page.wheel == [0.5, -2]


@pytest.mark.parametrize("code", keys.KEYS)
def test_each_key_goes_down_and_up(page, code):
    page.do(key(code, pressed=True))
    assert page.down == {keys.KEYS[code]}
    page.do(key(code, pressed=False))
    assert page.down == set()


def test_each_keyboard_key_of_imgui_has_a_code():
    others = ("gamepad_", "mouse_", "mod_", "reserved_", "named_")
    wanted = {
        key
        for name, key in imgui.Key.__members__.items()
        if not name.startswith(others) and name != "none"
    }
    assert set(keys.KEYS.values()) == wanted


def test_letters_go_by_what_is_printed_on_the_key(page):
    page.do(key("KeyQ", pressed=True, typed="a"))
    assert page.down == {imgui.Key.a}
    page.do(key("KeyQ", pressed=False, typed="A"))
    assert page.down == set()


def test_plus_is_found_where_the_layout_has_it(page):
    page.do(key("BracketRight", pressed=True, typed="+"))
    assert page.down == {imgui.Key.equal}


def test_the_keypad_keeps_its_own_keys(page):
    page.do(key("NumpadAdd", pressed=True, typed="+"))
    assert page.down == {imgui.Key.keypad_add}


@pytest.mark.parametrize(
    ("m", "mods"),
    [
        (1, (True, False, False, False)),
        (2, (False, True, False, False)),
        (4, (False, False, True, False)),
        (8, (True, False, False, False)),
        (7, (True, True, True, False)),
    ],
)
def test_modifiers_come_with_keys_and_command_is_ctrl(page, m, mods):
    page.do(key("KeyA", pressed=True, m=m))
    assert page.mods == mods


def test_text_is_typed_into_the_focused_input(page):
    page.focus_input()
    page.do({"t": "text", "s": "h\N{LATIN SMALL LETTER E WITH ACUTE}llo \N{SNOWMAN}"})
    assert page.text == "h\N{LATIN SMALL LETTER E WITH ACUTE}llo \N{SNOWMAN}"


def test_pasted_text_is_inserted_once(page):
    page.focus_input()
    page.do(key("KeyV", pressed=True, m=1), {"t": "paste", "s": "pasted"}, frames=12)
    page.do(key("KeyV", pressed=False, m=1))
    assert page.text == "pasted"


def test_the_paste_chord_goes_by_what_is_printed_on_the_key(page):
    page.focus_input()
    dvorak = key("Period", pressed=True, m=1, typed="v")
    page.do(dvorak, {"t": "paste", "s": "pasted"}, frames=12)
    assert page.text == "pasted"


def test_a_key_is_let_go_although_a_modifier_came_after_it(page):
    page.do(key("KeyV", pressed=True), key("KeyV", pressed=False, m=1))
    assert page.down == set()


def test_copied_text_is_handed_out_once(page):
    page.focus_input()
    page.do({"t": "text", "s": "copy me"})
    assert page.input.take_clipboard() is None
    page.do(*tap("KeyA", m=1), *tap("KeyC", m=1), frames=12)
    assert page.input.take_clipboard() == "copy me"
    assert page.input.take_clipboard() is None


def test_the_clipboards_of_two_pages_are_apart(page):
    other = Page()
    try:
        other.frame()
        page.focus_input()
        page.do({"t": "text", "s": "mine"}, frames=12)
        page.do(*tap("KeyA", m=1), *tap("KeyC", m=1), frames=12)
        assert other.input.take_clipboard() is None
        assert page.input.take_clipboard() == "mine"
    finally:
        other.ui.close()


def test_losing_the_focus_lets_go_of_the_keys(page):
    page.do(key("KeyA", pressed=True, m=1))
    page.do({"t": "focus", "d": 0})
    assert page.down == set()
    assert page.mods == (False, False, False, False)


def test_letting_go_of_command_lets_go_of_what_was_held_with_it(page):
    page.do(key("MetaLeft", pressed=True, m=8), key("KeyZ", pressed=True, m=8))
    page.do(key("MetaLeft", pressed=False, m=0))
    assert page.down == set()


def test_keys_that_imgui_does_not_know_are_passed_over(page):
    page.do(*tap("LaunchMail"))
    assert page.down == set()


def test_events_of_the_view_are_passed_over(page):
    page.do({"t": "pick", "objid": 3}, {"t": "perturb", "a": "end"}, {"t": "future"})


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"t": "move", "x": math.nan, "y": 0}, "x of 'move' is nan"),
        ({"t": "move", "x": math.inf, "y": 0}, "x of 'move' is inf"),
        ({"t": "move", "x": 1e300, "y": 0}, "x of 'move'"),
        ({"t": "move", "x": 10**400, "y": 0}, "x of 'move'"),
        ({"t": "move", "x": "1", "y": 0}, "x of 'move' is '1'"),
        ({"t": "move", "x": True, "y": 0}, "x of 'move' is True"),
        ({"t": "move"}, "x of 'move' is None"),
        ({"t": "down", "b": 9, "x": 0, "y": 0}, "b of 'down' is 9: expected 0 to 4"),
        ({"t": "down", "b": 0.5, "x": 0, "y": 0}, "b of 'down' is 0.5"),
        ({"t": "down", "b": 0, "x": 0, "y": 0, "m": None}, "m of 'down' is None"),
        ({"t": "wheel", "dx": None, "dy": 0, "x": 0, "y": 0}, "dx of 'wheel'"),
        ({"t": "key", "code": 3, "d": 1}, "code of 'key' is 3"),
        ({"t": "key", "code": "KeyA"}, "d of 'key' is None"),
        ({"t": "text", "s": 5}, "s of 'text' is 5"),
        ({"t": "paste", "s": "x" * (1 << 21)}, "s of 'paste' has 2097152 characters"),
        ({"t": "focus", "d": "yes"}, "d of 'focus' is 'yes'"),
        ("move", "'move' is no object"),
        (None, "None is no object"),
    ],
)
def test_a_malformed_event_is_named_and_the_others_still_count(page, event, problem):
    with pytest.raises(ValueError, match="input event 1") as caught:
        page.input.apply([{"t": "move", "x": 1, "y": 2}, event, *click(20, 20)])
    assert problem in str(caught.value)
    for _ in range(6):
        page.frame()
    assert page.clicks == 1


@pytest.mark.parametrize("events", [None, 3, "move", {"t": "move"}])
def test_events_that_are_no_list_are_refused(page, events):
    with pytest.raises(ValueError, match="not a list"):
        page.input.apply(events)


@pytest.mark.parametrize("kind", [None, 3, [], {}])
def test_an_event_of_no_kind_is_passed_over(page, kind):
    page.do({"t": kind})


def test_half_a_surrogate_pair_is_no_crash(page):
    page.focus_input()
    page.do({"t": "text", "s": "a\ud83db"})
    assert page.text == "a?b"
