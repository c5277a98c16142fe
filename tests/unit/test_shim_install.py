"""Whoever imports Studio's modules gets the stand-ins, and Studio still works."""

import importlib
import subprocess
import sys
import textwrap
import threading
import types

import mujoco
import pytest

from studio_nb.shim import install, standin
from studio_nb.ui import UiContext

IMGUI = "mujoco.studio.dear_imgui.dear_imgui"
IMPLOT = "mujoco.studio.implot.implot"
UX = "mujoco.studio.ux"

SPELLINGS = [
    "from mujoco.studio.dear_imgui import dear_imgui as it",
    "import mujoco.studio.dear_imgui.dear_imgui as it",
    f"import {IMGUI}; it = {IMGUI}",
    "from mujoco.studio import dear_imgui; it = dear_imgui.dear_imgui",
    f"import importlib; it = importlib.import_module({IMGUI!r})",
    "from mujoco.studio.implot import implot as it",
    "import mujoco.studio.implot.implot as it",
    "from mujoco.studio import implot; it = implot.implot",
    "from mujoco.studio import ux as it",
    "import mujoco.studio.ux as it",
    "import mujoco.studio; it = mujoco.studio.ux",
]


def imported(spelling):
    scope = {}
    exec(spelling, scope)  # noqa: S102, import statements from above
    return scope["it"]


def load(name):
    return importlib.import_module(name)


@pytest.fixture(autouse=True)
def _alone():
    """Has nothing be installed at first, whatever other tests left open."""
    depth = install._depth
    for _ in range(depth):
        install._leave()
    yield
    for _ in range(depth):
        install._enter()


@pytest.fixture
def context():
    context = UiContext()
    yield context
    context.close()


class Shell:
    """Stands for IPython's shell: it keeps the callbacks of its events."""

    def __init__(self):
        self.callbacks = []
        self.events = self

    def register(self, event, callback):
        self.callbacks.append((event, callback))

    def unregister(self, event, callback):
        self.callbacks.remove((event, callback))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_the_import_gives_the_stand_in(spelling):
    with install.active():
        assert isinstance(imported(spelling), standin.StandIn)
    assert not isinstance(imported(spelling), standin.StandIn)


def test_all_is_put_back():
    names = (IMGUI, IMPLOT, UX)
    before = [load(name) for name in names]
    with install.active():
        during = [load(name) for name in names]
    assert [load(name) for name in names] == before
    assert all(d is not b for d, b in zip(during, before, strict=True))


def test_all_is_put_back_after_an_error():
    before = load(IMGUI)
    with pytest.raises(KeyError), install.active():
        raise KeyError
    assert load(IMGUI) is before


def test_blocks_overlap():
    before = load(IMGUI)
    with install.active():
        outer = load(IMGUI)
        with install.active():
            assert load(IMGUI) is outer
        assert load(IMGUI) is outer
    assert load(IMGUI) is before


def test_blocks_of_threads_overlap():
    before = load(IMGUI)
    started, wrong = threading.Barrier(4), []

    def use():
        started.wait()
        for _ in range(20):
            with install.active():
                if not isinstance(load(IMGUI), standin.StandIn):
                    wrong.append(load(IMGUI))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert load(IMGUI) is before


def test_what_was_imported_before_is_exchanged_and_put_back(monkeypatch):
    plugin = types.ModuleType("a_plugin")
    before = load(IMGUI)
    monkeypatch.setattr(plugin, "imgui", before, raising=False)
    monkeypatch.setitem(sys.modules, "a_plugin", plugin)
    with install.active():
        assert isinstance(plugin.imgui, standin.StandIn)
    assert plugin.imgui is before


def test_what_was_imported_meanwhile_goes_on_drawing(context, monkeypatch):
    plugin = types.ModuleType("a_plugin")
    monkeypatch.setitem(sys.modules, "a_plugin", plugin)
    with install.active():
        vars(plugin)["imgui"] = load(IMGUI)
    with install.active():
        pass
    with context.frame(300, 200, 1.0, 0.02):
        assert vars(plugin)["imgui"].Button("button") is False


def test_what_a_plugin_took_at_import_works_in_a_frame(context):
    with install.active():
        imgui = load(IMGUI)
        text, size = imgui.Text, imgui.Vec2(30, 20)
        with context.frame(300, 200, 1.0, 0.02):
            assert imgui.Button("button", size) is False
            text("taken")
            assert imgui.GetItemRectSize().y > 0
            again = imgui.Button
        with pytest.raises(RuntimeError, match="no frame is open"):
            again("button")


def test_a_call_outside_of_a_frame_raises_where_it_would_crash(context):
    with context.frame(300, 200, 1.0, 0.02):
        pass
    with install.active():
        imgui, implot = load(IMGUI), load(IMPLOT)
        with pytest.raises(RuntimeError, match=r"imgui\.Button .* no frame is open"):
            imgui.Button("button")
        with pytest.raises(RuntimeError, match=r"implot\.BeginPlot .* BuildGuiEvent"):
            implot.BeginPlot("plot")


def test_input_can_be_asked_for_between_frames(context):
    with context.frame(300, 200, 1.0, 0.02):
        pass
    with install.active(), context.current():
        imgui = load(IMGUI)
        assert imgui.IsKeyChordPressed(imgui.Key.F6) is False
        assert imgui.GetIO().DisplaySize.x == 300


def test_without_any_viewer_input_raises():
    code = """
    from studio_nb.shim import install
    with install.active():
        from mujoco.studio.dear_imgui import dear_imgui as imgui
        from mujoco.studio.implot import implot
        assert imgui.GetCurrentContext() == 0
        assert imgui.Vec2(1, 2).y == 2
        for call in (imgui.GetIO, imgui.GetTime, imgui.End, implot.EndPlot):
            try:
                call()
            except RuntimeError as error:
                print(error)
    """
    lines = [line for line in run(code).splitlines() if " was called w" in line]
    assert len(lines) == 4
    assert "imgui.GetIO was called without a viewer" in lines[0]


def test_a_frame_of_another_thread_is_not_ours(context):
    with install.active(), context.frame(300, 200, 1.0, 0.02):
        imgui, raised = load(IMGUI), []

        def draw():
            try:
                imgui.Button("button")
            except RuntimeError as error:
                raised.append(str(error))

        thread = threading.Thread(target=draw)
        thread.start()
        thread.join()
    assert len(raised) == 1
    assert "no frame is open" in raised[0]


def test_what_draws_into_studios_own_imgui_says_so():
    with install.active():
        ux = load(UX)
        model = mujoco.MjModel.from_xml_string("<mujoco/>")
        with pytest.raises(NotImplementedError, match=r"ux\.physics_gui can't be used"):
            ux.physics_gui(model)
        for name in dir(ux):
            if name.endswith("_gui") or name in {
                "setup_theme",
                "configure_docking_layout",
                "set_imgui_context",
                "set_implot_context",
            }:
                with pytest.raises(NotImplementedError, match=rf"ux\.{name} can't"):
                    getattr(ux, name)()


def test_what_needs_no_imgui_passes_through():
    with install.active():
        ux = load(UX)
        model = mujoco.MjModel.from_xml_string(
            "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"
        )
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(model, camera)
        picked = ux.Pick(model, data, camera, 0.5, 0.5, 1.0, mujoco.MjvOption())
        assert picked.geom == 0
        assert ux.set_camera(model, camera, ux.FREE_CAMERA_IDX) == ux.FREE_CAMERA_IDX
        assert ux.UxState().history_size == 0
        assert isinstance(ux.RenderFlags(), ux.RenderFlags)
        assert ux.move_camera_with_keys(model, camera, 1.0)[0] is False


def test_a_name_that_is_not_there_is_no_attribute():
    with install.active():
        for name in (IMGUI, IMPLOT, UX):
            with pytest.raises(AttributeError, match="Buttom"):
                load(name).Buttom  # noqa: B018
            assert not hasattr(load(name), "__path__")


def test_names_can_be_listed():
    with install.active():
        assert {"Button", "Vec2", "WindowFlags"} <= set(dir(load(IMGUI)))


def test_cells_have_it_until_it_is_taken_out():
    before, shell = load(IMGUI), Shell()
    install.install_for_cells(shell)
    install.install_for_cells(shell)
    try:
        assert isinstance(load(IMGUI), standin.StandIn)
        assert [event for event, _ in shell.callbacks] == ["pre_run_cell"]
    finally:
        install.uninstall_for_cells(shell)
    install.uninstall_for_cells(shell)
    assert load(IMGUI) is before
    assert shell.callbacks == []


WEB = """
    import sys
    import threading

    {before}
    import mujoco
    from studio_nb.shim import install
    from studio_nb.ui import UiContext


    class Shell:
        def register(self, *_): pass
        events = property(lambda self: self)


    install.install_for_cells(Shell())
    from mujoco.studio import app, launch_web, messages, plugin, viewer_protocol
    from mujoco.studio.dear_imgui import dear_imgui as imgui
    from mujoco.studio.implot import implot
    from mujoco.studio import ux


    class Mine(plugin.ViewerPlugin):
        def __init__(self):
            super().__init__()
            self.seen = threading.Event()

        @messages.handler
        def on_init(self, _: viewer_protocol.ViewerInitEvent):
            self.vec = type(imgui.Vec2(1, 2)).__module__
            self.size = imgui.GetIO().DisplaySize.x
            self.point = type(implot.Point()).__module__
            ux.setup_theme(ux.GuiTheme.DARK)
            self.seen.set()


    mine = Mine()
    context = UiContext()
    with launch_web.launch(plugins=[app.App(), mine]) as handle:
        handle.set_model(mujoco.MjModel.from_xml_string("<mujoco/>"))
        assert mine.seen.wait(60)
        with context.frame(300, 200, 1.0, 0.02):
            imgui.Text("in the notebook")
            assert type(imgui.Vec2(1, 2)).__module__.startswith("imgui_bundle")
    # Studio's viewer prints where it runs, at any time: this tells of ours.
    sys.stderr.write(f"\\n{{mine.vec}}, {{mine.point}}\\n")
"""


@pytest.mark.parametrize("before", ["", "from mujoco.studio import web_viewer, app"])
def test_studios_web_viewer_runs_beside_a_notebooks_panels(before):
    assert f"{IMGUI}, {IMPLOT}" in run(WEB.format(before=before)).splitlines()


def run(code):
    """Runs Python in a process of its own, which may crash; returns its output."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr
