"""The stand-ins have every name of Studio's two modules, and take what those take."""

import importlib
import inspect
import keyword
import pathlib
import re

import numpy as np
import pytest
from imgui_bundle import imgui as bundle

from studio_nb.shim import dear_imgui, implot, names
from studio_nb.ui import UiContext
from tests.unit import test_shim_panel as panel

PAIRS = {
    "imgui": ("mujoco.studio.dear_imgui.dear_imgui", dear_imgui),
    "implot": ("mujoco.studio.implot.implot", implot),
}
FAR = -1e6

# What can be called only while something is dragged or open; tested below, or by
# imgui-bundle.
CLICKED = {
    "imgui": {"EndCombo", "EndMenu"},
    "implot": {"EndDragDropSource", "EndDragDropTarget", "EndLegendPopup"},
}

# What Studio's own raises for, as it lacks a type for the result or an argument.
BROKEN = {"imgui": set(), "implot": {"GetPlotLimits", "GetPlotSelection", "PlotImage"}}


def studios(side):
    return importlib.import_module(PAIRS[side][0])


def public(module):
    return [name for name in dir(module) if not name.startswith("_")]


def functions(side):
    module = studios(side)
    return [n for n in public(module) if not isinstance(getattr(module, n), type)]


def split(text):
    """Splits the arguments of a signature at its outer commas."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def parameter(text):
    match = re.match(r"(\w+)(?:: (.*?))?(?: = (.*))?$", text)
    assert match, text
    return match.groups()


def overloads(name, text):
    """Returns the signatures that a function of Studio's documents."""
    lines = re.findall(rf"^(?:\d+\. )?{name}\((.*)\) -> .*$", text, re.MULTILINE)
    found = [[parameter(part) for part in split(line)] for line in lines]
    return found if len(lines) == 1 else found[1:] if "*args" in lines[0] else found


def signatures(function):
    """Returns what one of ours takes, one signature an overload."""
    if not hasattr(function, "__nb_signature__"):
        return [inspect.signature(function)]
    made = []
    for text, *_ in function.__nb_signature__:
        body = text.partition("(")[2].rpartition(") -> ")[0]
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if default is None else default,
            )
            for name, _, default in (
                parameter(part) for part in split(body) if part != "/"
            )
        ]
        made.append(inspect.Signature(parameters))
    return made


def takes(function, args, named):
    for signature in signatures(function):
        try:
            signature.bind(*args, **named)
        except TypeError:
            continue
        return True
    return False


@pytest.mark.parametrize("side", PAIRS)
def test_each_name_is_there_and_of_the_same_kind(side):
    module, ours = studios(side), PAIRS[side][1]
    for name in public(module):
        theirs, mine = getattr(module, name), getattr(ours, name)
        assert isinstance(mine, type) == isinstance(theirs, type), name
        assert callable(mine), name


@pytest.mark.parametrize("side", PAIRS)
def test_each_constant_has_studios_value(side):
    module, ours = studios(side), PAIRS[side][1]
    for name in public(module):
        for member, value in getattr(getattr(module, name), "__members__", {}).items():
            mine = getattr(getattr(ours, name), member)
            assert mine == int(value), (name, member)
            assert mine.value == value.value, (name, member)


@pytest.mark.parametrize("side", PAIRS)
def test_each_class_has_studios_attributes(side):
    module, ours = studios(side), PAIRS[side][1]
    for name in public(module):
        theirs = getattr(module, name)
        if isinstance(theirs, type) and not hasattr(theirs, "__members__"):
            missing = [a for a in public(theirs) if not hasattr(getattr(ours, name), a)]
            assert missing == [], name


@pytest.mark.parametrize("side", PAIRS)
def test_each_function_takes_studios_arguments(side):
    module, ours = studios(side), PAIRS[side][1]
    refused = []
    for name in functions(side):
        mine = getattr(ours, name)
        found = overloads(name, getattr(module, name).__doc__)
        assert found, name
        for given in found:
            keys = [key for key, _, _ in given]
            needed = [key for key, _, default in given if default is None]
            ways = [(keys, {}), (needed, {})]
            if not any(map(keyword.iskeyword, keys)):
                ways.append(([], dict.fromkeys(keys)))
            refused += [(name, keys) for way in ways if not takes(mine, *way)]
    assert refused == []


@pytest.mark.parametrize("side", PAIRS)
def test_no_function_of_the_bundle_gets_a_truth_value_unchecked(side):
    # It takes True and False alone; Studio's take NumPy's and integers too.
    module, ours = studios(side), PAIRS[side][1]
    strict = [
        name
        for name in functions(side)
        if hasattr(getattr(ours, name), "__nb_signature__")
        and re.search(r": bool\b", getattr(module, name).__doc__.split("->")[0])
    ]
    assert strict == []


@pytest.mark.parametrize("side", PAIRS)
def test_defaults_are_studios(side):
    module, ours = studios(side), PAIRS[side][1]
    differing = []
    for name in functions(side):
        mine = getattr(ours, name)
        if hasattr(mine, "__nb_signature__") or name in ours.UNMAPPED:
            continue
        parameters = inspect.signature(mine).parameters
        for given in overloads(name, getattr(module, name).__doc__):
            for key, _, default in given:
                if key not in parameters or not default or "object at" in default:
                    continue
                value = parameters[key].default
                wanted = re.sub(r"<\w+\.\w+: (\d+)>", r"\1", default)
                if str(value) != wanted.strip("'") and value != number(wanted):
                    differing.append((name, key, value, default))
    # Without a second argument, these two tell one overload from the other.
    assert [d for d in differing if d[:2] != ("BeginTabItem", "flags")] == []


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def test_the_panel_calls_every_function_that_needs_no_click():
    called = {label for label, _ in panel.run_ours()}
    for side, (_, ours) in PAIRS.items():
        passed_over = CLICKED[side] | BROKEN[side] | set(ours.UNMAPPED)
        expected = {f"{side}.{n}" for n in functions(side) if n not in passed_over}
        assert expected - called == set()


def test_what_studios_own_sources_use_is_there():
    root = pathlib.Path(importlib.import_module("mujoco.studio").__file__).parent
    used = set()
    for path in root.rglob("*.py"):
        used |= set(
            re.findall(r"\b(imgui|implot)\.([\w.]+\w)", path.read_text("utf-8"))
        )
    used = {u for u in used if u[1].split(".")[0] not in {"dear_imgui", "implot"}}
    assert ("imgui", "Key.N0") in used
    for side, path in used:
        value = PAIRS[side][1]
        for part in path.split("."):
            value = getattr(value, part)


@pytest.mark.parametrize("side", PAIRS)
def test_what_a_notebook_can_not_have_names_the_call_and_the_way_out(side):
    ours = PAIRS[side][1]
    for name, instead in ours.UNMAPPED.items():
        with pytest.raises(
            NotImplementedError, match=rf"{side}\.{name} can't"
        ) as raised:
            getattr(ours, name)(1)
        assert instead in str(raised.value)


def test_a_name_that_studio_lacks_is_no_attribute():
    with pytest.raises(AttributeError, match="dear_imgui' has no attribute 'Buttom'"):
        dear_imgui.Buttom  # noqa: B018
    with pytest.raises(AttributeError, match="_private"):
        implot._private  # noqa: B018


def test_flags_combine_and_take_any_number():
    flags = dear_imgui.WindowFlags
    both = flags.NoMove | flags.NoResize
    assert both == flags.NoMove.value + flags.NoResize.value
    assert flags(both) == both
    assert str(flags.NoMove) == "WindowFlags.NoMove"
    assert getattr(flags, "None") == 0
    assert names.camel(names.snake("SetNextItemWidth")) == "SetNextItemWidth"


class Screen:
    """A context with a mouse."""

    def __init__(self):
        self.context = UiContext()

    def show(self, body):
        with self.context.frame(800, 600, 1.0, 0.02), self.context.guard("screen"):
            dear_imgui.SetNextWindowPos(dear_imgui.Vec2(0, 0))
            dear_imgui.SetNextWindowSize(dear_imgui.Vec2(700, 500))
            dear_imgui.Begin("screen")
            result = body()
            dear_imgui.End()
        return result

    def click(self, body, where):
        """Clicks and returns what `body` returned in each frame of it."""
        self.show(body)
        results = []
        for event in (
            lambda io: io.add_mouse_pos_event(*where()),
            lambda io: io.add_mouse_button_event(0, True),
            lambda io: io.add_mouse_button_event(0, False),
            lambda io: io.add_mouse_pos_event(FAR, FAR),
        ):
            with self.context.current():
                event(bundle.get_io())
            results.append(self.show(body))
        return results


@pytest.fixture
def screen():
    screen = Screen()
    yield screen
    screen.context.close()


def middle_of_last():
    low, high = dear_imgui.GetItemRectMin(), dear_imgui.GetItemRectMax()
    return low.x + 5, (low.y + high.y) / 2


def clicked(screen, body):
    """Clicks near the left end of what `body` draws; returns the results."""
    place = []

    def noting():
        result = body()
        place[:] = middle_of_last()
        return result

    return screen.click(noting, lambda: place)


def test_a_click_changes_a_checkbox_of_a_numpy_flag(screen):
    results = clicked(screen, lambda: dear_imgui.Checkbox("on", np.uint8(1)))
    assert (True, False) in results


def test_a_click_presses_a_button_once(screen):
    assert clicked(screen, lambda: dear_imgui.Button("go")).count(True) == 1


def test_a_click_on_a_vector_moves_the_field_under_it(screen):
    results = clicked(
        screen, lambda: dear_imgui.SliderFloatN("##v", [1, 2, 3, 4, 5], 0, 9)
    )
    changed = [values for moved, values in results if moved]
    assert changed
    assert changed[0][0] != 1
    assert changed[0][1:] == [2, 3, 4, 5]


def test_a_click_opens_a_combo_and_a_menu(screen):
    opened = []

    def combo():
        if dear_imgui.BeginCombo("words", "a"):
            opened.append("combo")
            dear_imgui.EndCombo()

    def menu():
        if dear_imgui.BeginMenu("File"):
            opened.append("menu")
            dear_imgui.EndMenu()

    for body in (combo, menu):
        clicked(screen, body)
    assert {"combo", "menu"} <= set(opened)


def test_a_click_on_its_cross_closes_a_window(screen):
    def window():
        dear_imgui.SetNextWindowPos(dear_imgui.Vec2(100, 100))
        dear_imgui.SetNextWindowSize(dear_imgui.Vec2(200, 100))
        shown, is_open = dear_imgui.Begin("closable", True)
        half = dear_imgui.GetFrameHeight() / 2
        place[:] = 300 - half, 100 + half
        dear_imgui.End()
        return shown, is_open

    place = []
    results = screen.click(window, lambda: place)
    assert (True, False) in results


def test_plot_limits_can_be_read(screen):
    def plot():
        if not implot.BeginPlot("plot", dear_imgui.Vec2(300, 200)):
            return None
        implot.SetupAxesLimits(0, 4, -1, 1, implot.Cond.Always)
        implot.PlotImage("image", 1, implot.Point(0, 0), implot.Point(1, 1))
        limits, selection = implot.GetPlotLimits(), implot.GetPlotSelection()
        implot.EndPlot()
        return (limits.x.min, limits.x.max, limits.y.max), selection.x.max

    screen.show(plot)
    assert screen.show(plot)[0] == (0, 4, 1)


def in_plot(screen, draw):
    def plot():
        assert implot.BeginPlot("plot", dear_imgui.Vec2(300, 200))
        try:
            draw()
        finally:
            implot.EndPlot()

    screen.show(lambda: None)
    screen.show(plot)


def test_series_of_different_lengths_are_refused(screen):
    with pytest.raises(ValueError, match=r"'line' .* \(3,\) and \(2,\): give equal"):
        in_plot(screen, lambda: implot.PlotLine("line", [1, 2, 3], [1, 2]))


def test_a_stride_is_refused_with_the_way_out(screen):
    with pytest.raises(NotImplementedError, match=r"stride 16: .* ys\[::2\]"):
        in_plot(screen, lambda: implot.PlotLine("line", [1, 2], [1, 2], 0, 0, 16))


def test_labels_that_fit_no_ticks_are_refused(screen):
    with pytest.raises(ValueError, match="axis 0 has 2 ticks and 1 labels"):
        in_plot(screen, lambda: implot.SetupAxisTicks(0, [1, 2], ["a"]))


def test_addresses_in_a_text_are_refused(screen):
    for call in (
        lambda: dear_imgui.PushID("abc", "c"),
        lambda: dear_imgui.GetID("abc", "c"),
        lambda: dear_imgui.CalcTextSize("abc", "c"),
    ):
        with pytest.raises(NotImplementedError, match="address"):
            screen.show(call)


def test_a_color_with_too_few_components_is_refused(screen):
    with pytest.raises(ValueError, match="'sky' has 3 components: give 4"):
        screen.show(lambda: dear_imgui.ColorEdit4("sky", [1, 1, 1]))


def test_color_options_of_one_kind_twice_are_refused_before_they_stop_the_frames(
    screen,
):
    kinds = dear_imgui.ColorEditFlags
    with pytest.raises(ValueError, match="two of one kind"):
        screen.show(
            lambda: dear_imgui.SetColorEditOptions(kinds.DisplayRGB | kinds.DisplayHSV)
        )
    screen.show(lambda: None)


def test_what_the_viewer_sets_can_be_read_and_not_set(screen):
    def attempt():
        io = dear_imgui.GetIO()
        assert io.DisplaySize.x == 800
        with pytest.raises(AttributeError, match="DisplaySize can't be set"):
            io.DisplaySize = dear_imgui.Vec2(1, 1)
        with pytest.raises(AttributeError, match="KeyCtrl can't be set"):
            io.KeyCtrl = True
        io.ConfigFlags = io.ConfigFlags

    screen.show(attempt)


def test_a_style_is_changed_in_place(screen):
    def widen():
        dear_imgui.GetStyle().ItemSpacing.x = 21.0
        dear_imgui.GetStyle().FramePadding = dear_imgui.Vec2(3, 4)
        style = bundle.get_style()
        return style.item_spacing.x, style.frame_padding.y

    assert screen.show(widen) == (21.0, 4.0)


def test_a_font_that_is_not_there_is_no_index(screen):
    with pytest.raises(IndexError, match="font 99 is not one of"):
        screen.show(lambda: dear_imgui.GetIO().Fonts[99])


def test_words_separated_by_zeros_end_at_two(screen):
    def shown():
        first = dear_imgui.ComboStr("a", 0, "one\0two\0")
        return first, dear_imgui.ComboStr("b", 0, "one\0two\0\0three")

    assert screen.show(shown) == ((False, 0), (False, 0))
