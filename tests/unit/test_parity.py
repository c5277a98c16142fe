"""docs/studio-app.md against the app that it describes, and against Studio's own.

The app is drawn once with all that opens open, and what it draws is noted by where it
stands. Each place that the page names must be among them.
"""

import ast
import inspect
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from imgui_bundle import imgui, implot
from mujoco.studio import app as studios_app

from studio_nb.app import keys
from studio_nb.app.panels import elements, groups, structs
from studio_nb.console import LEVELS
from studio_nb.sim.profile import ProfileSnapshot
from tests.person import Viewer

PAGE = Path(__file__).parents[2] / "docs" / "studio-app.md"

# An element of each kind.
MODEL = """
<mujoco>
  <option><flag energy="enable" fwdinv="enable"/></option>
  <asset>
    <mesh name="tetra" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <hfield name="hill" nrow="2" ncol="2" size="1 1 1 1"/>
    <texture name="checks" type="2d" builtin="checker" width="8" height="8"/>
    <material name="tiles" texture="checks"/>
  </asset>
  <worldbody>
    <camera name="front" pos="0 -3 1"/>
    <light name="lamp"/>
    <flexcomp name="cloth" type="grid" count="2 2 1" spacing="0.1 0.1 0.1" dim="2">
      <edge equality="true"/>
    </flexcomp>
    <body name="bob" pos="0 0 1">
      <joint name="hinge" axis="0 1 0"/>
      <geom name="rod" size="0.1"/>
      <site name="tip"/>
    </body>
    <body name="ball"><freejoint/><geom name="shell" size="0.1"/></body>
  </worldbody>
  <deformable>
    <skin name="hide" vertex="0 0 0  1 0 0  0 1 0" face="0 1 2">
      <bone body="bob" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2"
        vertweight="1 1 1"/>
    </skin>
  </deformable>
  <contact>
    <pair geom1="rod" geom2="shell"/>
    <exclude body1="bob" body2="ball"/>
  </contact>
  <tendon><fixed name="wire"><joint joint="hinge" coef="1"/></fixed></tendon>
  <equality><weld name="glue" body1="bob" body2="ball"/></equality>
  <actuator><motor name="drive" joint="hinge"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <custom>
    <numeric name="one" data="1"/>
    <text name="word" data="word"/>
    <tuple name="both"><element objtype="body" objname="bob"/></tuple>
  </custom>
  <keyframe><key name="up"/></keyframe>
</mujoco>
"""

# As in "gravity (m/s2)".
UNIT = re.compile(r" \([^()]*[a-z/%][^()]*\)$")
SPAN = re.compile(r"(`+) ?(.+?) ?\1(?!`)")

# Large enough for every row, so that nothing is clipped.
WIDTH, HEIGHT = 2000, 12000

ITEMS = (
    *("button", "small_button", "invisible_button", "checkbox", "selectable"),
    *("menu_item_simple", "begin_combo", "input_text_with_hint", "color_edit3"),
    *("color_edit4", "slider_float", "drag_float", "drag_int", "text_link"),
    *("text_disabled", "text_unformatted"),
)
PLOTS = ("begin_plot", "plot_line", "plot_shaded")


class Places:
    """Notes what is drawn where: windows, sections, groups and labels, as paths."""

    def __init__(self, patch):
        self.known = set()
        self.windows = []
        self.menus = []
        self.section = self.group = None
        self.errors = []
        for name in ITEMS:
            patch.setattr(imgui, name, self._noting(getattr(imgui, name)))
        for name in PLOTS:
            patch.setattr(implot, name, self._noting(getattr(implot, name)))
        self._read_texts(patch)
        self._follow_windows(patch)
        self._open_folds(patch)
        self._open_menus(patch)

    def _read_texts(self, patch):
        """Notes what panels write with the draw list, in no group."""
        add = imgui.ImDrawList.add_text

        def added(canvas, *args):
            path = [texts(self.windows[-1])[-1], self.section, *texts(args[-1])[:1]]
            self.known.add(tuple(part for part in path if part))
            return add(canvas, *args)

        patch.setattr(imgui.ImDrawList, "add_text", added)

    def _follow_windows(self, patch):
        begin, end, child = imgui.begin, imgui.end, imgui.begin_child

        def began(name, *args, **kwargs):
            self.windows.append(name)
            self.section = self.group = None
            self.note(None)
            return begin(name, *args, **kwargs)

        def ended():
            self.windows.pop()
            self.section = self.group = None
            end()

        def began_child(name, *args, **kwargs):
            self.group = name
            self.note(None)
            return child(name, *args, **kwargs)

        patch.setattr(imgui, "begin", began)
        patch.setattr(imgui, "end", ended)
        patch.setattr(imgui, "begin_child", began_child)

    def _open_folds(self, patch):
        unfold = imgui.set_next_item_open
        header, node = imgui.collapsing_header, imgui.tree_node_ex

        def headed(label, *args, **kwargs):
            self.section, self.group = label, None
            self.note(None)
            unfold(is_open=True)
            return header(label, *args, **kwargs)

        def branched(label, *args, **kwargs):
            self.group = texts(label)[0]
            self.note(None)
            unfold(is_open=True)
            return node(label, *args, **kwargs)

        patch.setattr(imgui, "collapsing_header", headed)
        patch.setattr(imgui, "tree_node_ex", branched)

    def _open_menus(self, patch):
        """Draws what pops up in place, under the title of its menu."""

        def opened(name, *_, **__):
            # The help lists keys and has no controls.
            if name == "###help":
                return False
            self.menus.append(texts(name)[-1].removesuffix(" menu"))
            return True

        def opened_of_item(*_, **__):
            self.menus.append("")
            return True

        def closed():
            self.menus.pop()

        def submenu(label, *_, **__):
            for text in texts(label):
                self.note(text)
            self.menus.append(texts(label)[-1])
            return True

        for name in ("begin_popup", "begin_popup_context_item"):
            patch.setattr(
                imgui, name, opened if name == "begin_popup" else opened_of_item
            )
        patch.setattr(imgui, "end_popup", closed)
        patch.setattr(imgui, "begin_menu", submenu)
        patch.setattr(imgui, "end_menu", closed)

    def _noting(self, draw):
        def drawn(label, *args, **kwargs):
            for text in texts(label):
                self.note(text)
            return draw(label, *args, **kwargs)

        return drawn

    def note(self, text):
        window = texts(self.windows[-1])[-1]
        menus = [menu for menu in self.menus if menu]
        if menus and window == "toolbar":
            path = [*menus, text]
        else:
            path = [window, self.section, self.group, text]
        path = [part for part in path if part]
        self.known.update(tuple(path[:end]) for end in range(1, len(path) + 1))
        if self.section or not self.group:
            # Groups within sections need not be named.
            self.known.add((*path[: 1 + bool(self.section)], path[-1]))


def texts(label):
    """Returns what of a label is read and what is its ID, without icons."""
    shown, _, ident = label.partition("###")
    shown = shown.split("##")[0]
    shown = "".join(c for c in shown if not 0xE000 <= ord(c) <= 0xF8FF).strip()
    shown = UNIT.sub("", shown)
    return [text for text in (shown, ident or label.partition("##")[2]) if text] or [""]


@pytest.fixture(scope="module")
def drawn():
    """The app drawn with all open, and what it drew where."""
    viewer = Viewer(MODEL, WIDTH, HEIGHT)
    with pytest.MonkeyPatch.context() as patch:
        seen = Places(patch)
        for window in viewer.app.windows.all:
            window.open = True
            window.unfolded = {panel.title for panel in window.panels}
        viewer.perturb.select = viewer.model.body("bob").id
        for level in LEVELS:
            viewer.console.add(level, "a test", "Something to copy.")
        viewer.dispatch(ProfileSnapshot(0.0, np.ones(mujoco.mjtTimer.mjNTIMER.value)))
        for window in viewer.app.windows.all:
            window.comes_up = True
            viewer.frame()
    viewer.ui.close()
    seen.errors = viewer.errors
    return seen


@pytest.fixture(scope="module")
def places(drawn):
    """Every place of the app, as paths of titles and labels."""
    return drawn.known


class Section:
    """A heading of the page with its place and its rows: control, here, note."""

    def __init__(self, text):
        self.title, _, rest = text.partition("\n")
        lines = rest.splitlines()
        intro = " ".join(line for line in lines if not line.startswith("|"))
        self.place = next((span for span in spans(intro)), "")
        cells = [
            line.strip("|").split(" | ") for line in lines if line.startswith("| ")
        ]
        self.rows = [[cell.strip() for cell in row] for row in cells[1:]]

    @property
    def controls(self):
        return [unmarked(row[0]) for row in self.rows]

    def here(self):
        """Returns the places and keys of the middle column."""
        return [self._whole(span) for row in self.rows for span in spans(row[1])]

    def noted(self):
        """Returns the places that notes tell of."""
        found = [span for row in self.rows for span in spans("".join(row[2:]))]
        return [self._whole(span) for span in found if " > " in f" {span}"]

    def _whole(self, span):
        return f"{self.place} {span}" if span.startswith("> ") else span


def spans(text):
    return [found[1] for found in SPAN.findall(text)]


def unmarked(text):
    return text.replace("`", "").replace("\\", "").strip()


SECTIONS = {s.title: s for s in map(Section, PAGE.read_text().split("\n## ")[1:])}
KEYS = {binding.label for binding in keys.BINDINGS}
# What Dear ImGui calls keys that have no letter.
KEY_NAMES = {
    "Minus": "-",
    "Equal": "+",
    "Comma": ",",
    "Apostrophe": "'",
    "Semicolon": ";",
    "GraveAccent": "`",
    "Backslash": "\\",
    "LeftBracket": "[",
    "RightBracket": "]",
    "LeftArrow": "Left",
    "RightArrow": "Right",
    "Escape": "Esc",
}


def test_everything_open_draws_without_an_error(drawn):
    assert drawn.errors == []


@pytest.mark.parametrize("title", SECTIONS)
def test_every_place_that_the_page_names_is_in_the_app(places, title):
    section = SECTIONS[title]
    named = [*section.here(), *section.noted()]
    missing = [
        n for n in named if tuple(n.split(" > ")) not in places and n not in KEYS
    ]
    assert missing == []


def test_places_are_told_from_what_the_app_has_not(places):
    assert ("Options", "Physics", "timestep") in places
    assert ("Options", "Physics", "timestop") not in places
    assert ("Options", "Groups", "timestep") not in places
    assert ("View", "Theme", "Dark") in places
    assert ("File", "Dark") not in places


def test_every_row_has_a_control_and_a_place_or_a_dash():
    for section in SECTIONS.values():
        for row in section.rows:
            assert len(row) == 3, row
            assert spans(row[1]) or row[1].startswith("*") or row[1] == "\N{EN DASH}", (
                row
            )


def test_every_key_of_the_app_is_on_the_page():
    named = {span for section in SECTIONS.values() for span in section.here()}
    assert named >= KEYS


@pytest.mark.parametrize(
    ("title", "strings"),
    [
        ("Physics", mujoco.mjDISABLESTRING),
        ("Physics", mujoco.mjENABLESTRING),
        ("Rendering", [s[0] for s in mujoco.mjVISSTRING]),
        ("Rendering", [s[0] for s in mujoco.mjRNDSTRING]),
    ],
    ids=["disable", "enable", "vis", "rnd"],
)
def test_every_flag_of_mujocos_is_on_the_page(title, strings):
    listed = [control.split(": ")[-1] for control in SECTIONS[title].controls]
    assert set(listed) >= set(strings)


def fields_of_mujoco():
    """Yields heading and field, of every struct that has a section."""
    vis = mujoco.MjModel.from_xml_string("<mujoco/>").vis
    option = mujoco.MjOption()
    yield from (("Physics", name) for name in structs.names(option))
    for part in ("headlight", "global_", "map", "scale", "quality", "rgba"):
        yield from (("Visualization", n) for n in structs.names(getattr(vis, part)))
    yield from (("Visualization", n) for n in structs.names(mujoco.MjStatistic()))
    plural = {"flex": "flexes"}
    yield from (("Groups", plural.get(kind, f"{kind}s")) for kind in groups.kinds())


# Rows of bits, and of groups, stand for these.
BY_BITS = {"disableflags", "enableflags", "disableactuator"}


@pytest.mark.parametrize(("title", "field"), sorted(set(fields_of_mujoco())))
def test_every_field_of_mujocos_is_on_the_page(title, field):
    listed = {span.split(" > ")[-1].split()[0] for span in SECTIONS[title].here()}
    assert field in listed | BY_BITS


def test_every_kind_of_element_is_on_the_page():
    listed = {s.split(" > ")[-1] for s in SECTIONS["The desktop program"].here()}
    assert listed >= {kind.title for kind in elements.GROUPS} - {"Plugin instances"}


def literals(module, *calls):
    """Returns the texts that a module hands to some of Dear ImGui's calls."""
    tree = ast.parse(inspect.getsource(module))
    return {
        arg.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in calls
        for arg in node.args[:1]
        if isinstance(arg, ast.Constant) and arg.value
    }


@pytest.mark.parametrize("words", sorted(literals(studios_app.plugins, "MenuItem")))
def test_every_menu_item_of_studios_app_is_on_the_page(words):
    listed = [control.split(" > ")[-1] for control in SECTIONS["Menus"].controls]
    assert words in listed


@pytest.mark.parametrize(
    "words", sorted(literals(studios_app.plugins, "BeginMenu", "TreeNodeEx", "Begin"))
)
def test_every_menu_section_and_window_of_studios_app_is_on_the_page(words):
    known_as = {"ToolBar": "Toolbar", "StatusBar": "Status bar"}
    assert known_as.get(words, words) in PAGE.read_text()


def keys_of_studio():
    """Returns the keys that Studio's app answers, in our words."""
    names = re.findall(r"imgui\.Key\.(\w+)", inspect.getsource(studios_app.inputs))
    plain = {re.sub(r"^N(\d)$", r"\1", name) for name in names} - {"Shift"}
    return sorted(KEY_NAMES.get(name, name) for name in plain)


@pytest.mark.parametrize("key", keys_of_studio())
def test_every_key_of_studios_app_is_on_the_page_and_answered(key):
    named = {span for section in SECTIONS.values() for span in section.here()}
    assert key in named & KEYS


@pytest.mark.parametrize(
    "name", [n for n in dir(studios_app.inputs.ux) if n.endswith("_gui")]
)
def test_every_panel_of_studios_is_on_the_page(name):
    assert f"ux.{name}" in PAGE.read_text()
