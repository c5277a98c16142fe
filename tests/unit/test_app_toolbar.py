"""The app as a person has it: clicks and keys on what is drawn, whatever the width."""

import math

import pytest
from imgui_bundle import imgui
from mujoco.studio import messages
from mujoco.studio.sim import PauseState

from studio_nb.app import keys, row, toolbar
from tests.person import Viewer

LONG_NAME = "a very long name of a keyframe indeed"
MODEL = f"""
<mujoco>
  <worldbody><body name="torso"><freejoint/><geom size="0.1"/></body></worldbody>
  <keyframe><key name="home"/><key name="{LONG_NAME}"/></keyframe>
</mujoco>
"""
WIDTHS = (120, 200, 300, 450, 600, 900, 2000)


@pytest.fixture
def make():
    made = []

    def make(**options):
        made.append(Viewer(**{"xml": MODEL, **options}))
        return made[-1]

    yield make
    for viewer in made:
        viewer.ui.close()


@pytest.fixture
def viewer(make):
    return make()


def test_the_run_button_pauses_and_goes_on(viewer):
    at = viewer.find("run")
    viewer.click(*at)
    viewer.click(*at)
    paused, unpaused = (message.pause_state for message in viewer.sent)
    assert paused == PauseState.NORMAL_PAUSED
    assert unpaused == PauseState.UNPAUSED


def test_the_buttons_send_studios_messages(viewer):
    viewer.app.controls.follow_pause(PauseState.NORMAL_PAUSED)
    viewer.click(*viewer.find("step"))
    viewer.click(*viewer.find("reset"))
    assert viewer.sent == [messages.SingleStepEvent(), messages.ResetEvent(key=None)]


def test_the_align_button_moves_the_camera(viewer):
    viewer.camera.distance = 99.0
    viewer.click(*viewer.find("align"))
    assert viewer.camera.distance < 99.0


def test_the_last_speed_of_the_list_is_as_fast_as_it_goes(viewer):
    viewer.click(*viewer.find("speed"))
    popup = next(w for name, w in viewer.windows().items() if "Combo" in name)
    viewer.click(popup.pos.x + 20, popup.pos.y + popup.size.y - 10)
    assert [message.speed for message in viewer.sent] == [math.inf]


def test_choosing_a_keyframe_loads_it(viewer):
    viewer.click(*viewer.find("keyframe"))
    popup = next(w for name, w in viewer.windows().items() if "Combo" in name)
    viewer.click(popup.pos.x + 20, popup.pos.y + popup.size.y - 10)
    assert viewer.sent == [messages.ResetEvent(key=1)]


def test_a_model_without_keyframes_offers_none(make):
    assert not make(xml="<mujoco/>").shows("keyframe")


@pytest.mark.parametrize(
    ("code", "m", "sent"),
    [
        ("Backspace", 0, messages.ResetEvent(key=None)),
        ("Space", 0, None),
        ("Equal", 0, 200.0),
        ("Equal", 2, 200.0),
        ("NumpadAdd", 0, 200.0),
        ("Minus", 0, 50.0),
        ("NumpadSubtract", 0, 50.0),
    ],
)
def test_keys_act_like_the_toolbar(viewer, code, m, sent):
    viewer.press(code, m)
    (message,) = viewer.sent
    if isinstance(sent, float):
        assert message.speed == sent
    elif sent is None:
        assert message.pause_state == PauseState.NORMAL_PAUSED
    else:
        assert message == sent


def test_the_right_arrow_takes_one_step(viewer):
    viewer.app.controls.follow_pause(PauseState.NORMAL_PAUSED)
    viewer.press("ArrowRight")
    assert viewer.sent == [messages.SingleStepEvent()]


def test_ctrl_a_aligns_the_camera_and_a_alone_does_not(viewer):
    viewer.camera.distance = 99.0
    viewer.press("KeyA")
    assert viewer.camera.distance == 99.0
    viewer.press("KeyA", m=1)
    assert viewer.camera.distance < 99.0


def test_escape_deselects(viewer):
    viewer.perturb.select = 1
    viewer.press("Escape")
    assert viewer.perturb.select == 0


def test_escape_closes_a_popup_before_it_deselects(viewer):
    viewer.perturb.select = 1
    viewer.press("F1")
    viewer.press("Escape")
    assert not any("Popup" in name for name in viewer.windows())
    assert viewer.perturb.select == 1


def test_keys_belong_to_an_input_that_has_the_focus(viewer):
    def panel():
        imgui.begin("mine")
        imgui.set_keyboard_focus_here()
        imgui.input_text("text", "")
        imgui.end()

    for _ in range(4):
        viewer.frame(after=panel)
    viewer.input.apply(
        [{"t": "key", "code": "Space", "key": " ", "d": d, "m": 0} for d in (1, 0)]
    )
    for _ in range(4):
        viewer.frame(after=panel)
    assert viewer.sent == []


def test_f1_opens_and_closes_the_help(viewer):
    viewer.press("F1")
    assert any("Popup" in name for name in viewer.windows())
    viewer.press("F1")
    assert not any("Popup" in name for name in viewer.windows())


def test_the_help_tells_every_key_once():
    labels = [binding.label for binding in keys.BINDINGS]
    assert len(labels) == len(set(labels))
    chords = [chord for binding in keys.BINDINGS for chord in binding.chords]
    assert len(chords) == len(set(chords))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_toolbar_spans_the_view_and_nothing_sticks_out(make, width):
    viewer = make(width=width)
    bar = viewer.windows()["###toolbar"]
    assert (bar.pos.x, bar.pos.y) == (0, 0)
    assert (bar.size.x, bar.size.y) == (width, row.HEIGHT_PX)
    assert bar.content_size.x <= width
    assert bar.content_size.y <= row.HEIGHT_PX
    assert bar.scroll_max.x == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_run_is_there_at_every_width(make, width):
    assert make(width=width).shows("run")


def test_a_narrow_view_folds_the_rest_into_a_popup(make):
    viewer = make(width=380)
    assert viewer.shows("speed")
    assert not viewer.shows("keyframe")
    viewer.click(*viewer.find("more"))
    assert any("Popup" in name for name in viewer.windows())


def test_the_help_opens_from_its_menu(viewer):
    viewer.click(*viewer.find("Help"))
    menu = next(w for name, w in viewer.windows().items() if "Popup" in name)
    viewer.click(menu.pos.x + 30, menu.pos.y + 20)
    opened = next(w for name, w in viewer.windows().items() if "Popup" in name)
    assert opened.size.x > menu.size.x


@pytest.mark.parametrize("width", WIDTHS)
def test_popups_stay_within_the_view(make, width):
    viewer = make(width=width, height=200)
    viewer.press("F1")
    popup = next(w for name, w in viewer.windows().items() if "Popup" in name)
    assert popup.pos.x >= 0
    assert popup.pos.y >= row.HEIGHT_PX
    assert popup.pos.x + popup.size.x <= width
    assert popup.pos.y + popup.size.y <= 200


def test_what_is_folded_is_what_has_the_highest_rank(viewer):
    entries = [
        row.Button(f"b{rank}", "x", "x", "", lambda: None, rank, 0) for rank in range(6)
    ]
    viewer.frame(after=lambda: None)
    with viewer.ui.frame(400, 300, 1, 1 / 60):
        everything = sum(entry.width() for entry in entries) + 5 * row._GAP_PX
        assert row.fitting(entries, everything) == entries
        kept = row.fitting(entries, everything - 1)
        assert row.fitting(entries, 0) == []
    assert kept == entries[: len(kept)]
    assert 0 < len(kept) < 6


def test_a_name_too_long_for_its_place_ends_in_an_ellipsis(viewer):
    with viewer.ui.frame(400, 300, 1, 1 / 60):
        short = row.shortened(LONG_NAME, 80)
        assert imgui.calc_text_size(short).x <= 80
        assert short.endswith("\N{HORIZONTAL ELLIPSIS}")
        assert LONG_NAME.startswith(short[:-1])
        assert row.shortened("home", 80) == "home"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 s"),
        (9999.994, "9999.99 s"),
        (12345.6, "12346 s"),
        (math.nan, "nan s"),
    ],
)
def test_times_keep_to_their_place(seconds, text):
    assert toolbar.time_text(seconds) == text


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (None, "\N{EN DASH}"),
        (0.996, "1.00\N{MULTIPLICATION SIGN}"),
        (123.4, "123\N{MULTIPLICATION SIGN}"),
    ],
)
def test_factors_keep_to_their_place(factor, text):
    assert toolbar.factor_text(factor) == text


def test_a_running_clock_costs_at_most_a_kilobyte_a_frame(viewer):
    for _ in range(60):
        viewer.frame()
    viewer.encoder.encode(full=True)
    sizes = []
    for tick in range(1, 90):
        viewer.data.time = 8.0 + tick / 15
        viewer.frame()
        sizes.append(len(viewer.encoder.encode(full=False)))
    assert max(sizes) < 1000


def test_a_paused_untouched_app_sends_nothing(viewer):
    for _ in range(60):
        viewer.frame()
    viewer.encoder.encode(full=True)
    viewer.frame()
    assert viewer.encoder.encode(full=False) is None


def test_the_selected_body_is_named(viewer):
    assert "###selection" not in viewer.windows()
    viewer.perturb.select = 1
    viewer.frames()
    box = viewer.windows()["###selection"]
    free = viewer.app.layout.free
    assert free.x < box.pos.x < free.x + 20
    assert box.pos.y + box.size.y <= free.y + free.height


def test_a_selection_that_the_model_lost_is_not_named(viewer):
    viewer.perturb.select = 7
    viewer.frames()
    assert "###selection" not in viewer.windows()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_app_draws_in_both_themes(viewer, name):
    viewer.ui.set_theme(name)
    viewer.frames()
    assert viewer.encoder.encode(full=True)
