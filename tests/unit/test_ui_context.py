"""The headless ImGui context: frames, errors of panels, themes, life."""

import gc
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from imgui_bundle import imgui, implot

from studio_nb import ui
from studio_nb.ui import PanelError, UiContext, theme


@pytest.fixture
def context():
    context = UiContext()
    yield context
    context.close()


def frame(context):
    return context.frame(400, 300, 1, 1 / 60)


def window(name):
    imgui.begin(name)
    imgui.text(name)
    imgui.end()


def drawn(context):
    with context.current():
        lists = imgui.get_draw_data().cmd_lists
        return [draw_list._owner_name for draw_list in lists]


def test_what_is_drawn_in_a_frame_is_rendered(context):
    for _ in range(2):
        with frame(context):
            window("A")
    assert drawn(context) == ["A"]


def test_a_frame_whose_body_raises_is_rendered_and_the_next_one_works(context):
    with pytest.raises(ZeroDivisionError), frame(context):
        raise_after(open_child_and_ids)
    with frame(context):
        window("B")
    with frame(context):
        window("B")
    assert drawn(context) == ["B"]


def test_a_frame_in_a_frame_is_refused(context):
    with (
        frame(context),
        pytest.raises(RuntimeError, match="open already"),
        frame(context),
    ):
        pass
    with frame(context):
        window("A")


def open_window():
    imgui.begin("broken")


def open_child_and_ids():
    imgui.begin("broken")
    imgui.begin_child("child")
    imgui.push_id("id")


def open_table():
    imgui.begin("broken")
    imgui.begin_table("table", 2)
    imgui.table_next_column()


def open_plot():
    imgui.begin("broken")
    assert implot.begin_plot("plot")


def open_subplots():
    imgui.begin("broken")
    assert implot.begin_subplots("plots", 2, 2, (200, 200))
    assert implot.begin_plot("plot")


def style_colors():
    imgui.push_style_color(imgui.Col_.text, (1, 0, 0, 1))


def plot_style():
    implot.push_style_color(implot.Col_.plot_bg, (1, 0, 0, 1))


def disabled():
    imgui.begin_disabled()


clippers = []


def clipped_list():
    imgui.begin("broken")
    clippers.append(imgui.ListClipper())
    clippers[-1].begin(1000, 10.0)
    clippers[-1].step()
    imgui.end()


def raise_after(panel):
    panel()
    return 1 / 0


UNBALANCED = (
    open_window,
    open_child_and_ids,
    open_table,
    open_plot,
    open_subplots,
    style_colors,
    plot_style,
    disabled,
    clipped_list,
)


@pytest.mark.parametrize("panel", UNBALANCED)
def test_a_panel_that_leaves_something_open_is_undone_and_named(context, panel):
    for _ in range(3):
        with frame(context):
            window("before")
            with (
                pytest.raises(PanelError, match="panel 'mine' left"),
                context.guard("mine"),
            ):
                panel()
            window("after")
    assert {"before", "after"} <= set(drawn(context))


@pytest.mark.parametrize("panel", UNBALANCED)
def test_a_panel_that_raises_half_way_is_undone_and_its_error_goes_on(context, panel):
    for _ in range(3):
        with frame(context):
            with pytest.raises(ZeroDivisionError) as caught, context.guard("mine"):
                raise_after(panel)
            window("after")
        assert any("mine" in note for note in caught.value.__notes__)
    assert "after" in drawn(context)


def test_the_list_of_a_panel_that_raised_may_go_at_any_time():
    """As the error goes, which holds it: without help that ends the process."""
    code = """
        from imgui_bundle import imgui
        from studio_nb.ui import UiContext

        context = UiContext()
        try:
            with context.frame(400, 300, 1, 0.1), context.guard("mine"):
                clipper = imgui.ListClipper()
                clipper.begin(1000, 10.0)
                clipper.step()
                raise ValueError
        except ValueError:
            del clipper
        context.close()
    """
    code = textwrap.dedent(code)
    subprocess.run([sys.executable, "-c", code], check=True)


def unmatched_clip_rects():
    imgui.begin("broken")
    for _ in range(2):
        imgui.get_window_draw_list().pop_clip_rect()
    imgui.end()


@pytest.mark.parametrize(
    "panel",
    [
        imgui.end,
        imgui.end_child,
        imgui.end_table,
        imgui.render,
        imgui.new_frame,
        unmatched_clip_rects,
        lambda: implot.plot_line("line", np.zeros(3)),
        lambda: imgui.begin(""),
    ],
)
def test_a_panel_that_misuses_imgui_raises_and_the_next_frame_works(context, panel):
    with pytest.raises(RuntimeError), frame(context), context.guard("mine"):
        panel()
    for _ in range(2):
        with frame(context):
            window("next")
    assert "next" in drawn(context)


def test_a_panel_outside_of_a_frame_is_refused(context):
    with (
        pytest.raises(RuntimeError, match="'mine' has no frame"),
        context.guard("mine"),
    ):
        window("A")


@pytest.mark.parametrize("name", theme.NAMES)
def test_text_of_a_theme_is_legible_on_its_panels(name):
    palette = theme.PALETTES[name]
    for background in (palette.panel, palette.popup):
        # WCAG 2.2 asks 4.5 of text, 3 of marks (success criteria 1.4.3, 1.4.11).
        assert contrast(palette.text, background) > 7
        assert contrast(palette.dim, background) > 4.5
        for mark in (palette.brand, palette.warning, palette.error):
            assert contrast(mark, background) > 3


def contrast(colour, background):
    """Returns WCAG's contrast of a colour over an opaque background."""

    def parts(value):
        return np.frombuffer(value.to_bytes(4, "big"), np.uint8) / 255

    def luminance(rgb):
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    *over, alpha = parts(colour)
    under = parts(background)[:3]
    seen = alpha * np.array(over) + (1 - alpha) * under
    low, high = sorted((luminance(seen), luminance(under)))
    return (high + 0.05) / (low + 0.05)


def test_a_theme_can_change_between_frames(context):
    context.set_theme("light")
    assert context.theme == "light"
    assert context.palette == theme.PALETTES["light"]
    with context.current():
        text = imgui.get_style().color_(imgui.Col_.text)
    assert tuple(text) == pytest.approx(tuple(theme.rgba(context.palette.text)))


def test_every_colour_of_the_palette_goes_to_a_colour_of_imgui():
    for names in theme._ROLES.values():
        for name in names:
            assert name in imgui.Col_.__members__


def test_a_theme_chosen_within_pushed_colours_replaces_these_too(context):
    with context.frame(400, 300, 1, 1 / 60):
        imgui.push_style_color(imgui.Col_.frame_bg, theme.rgba(0))
        context.set_theme("light")
        imgui.pop_style_color()
    assert context.theme == "light"
    assert context.unsettled
    with context.current():
        field = imgui.get_style_color_vec4(imgui.Col_.frame_bg)
    wanted = theme.rgba(theme.PALETTES["light"].field)
    assert tuple(field) == pytest.approx(tuple(wanted))


def test_an_unknown_theme_is_refused(context):
    with pytest.raises(ValueError, match="theme 'blue' is unknown: use 'light'"):
        context.set_theme("blue")
    with pytest.raises(ValueError, match="theme 'blue'"):
        UiContext("blue")


def test_icons_and_text_come_from_one_font(context):
    from imgui_bundle import icons_fontawesome_6

    with frame(context):
        font = imgui.get_font()
        assert font.is_glyph_in_font(ord("A"))
        assert font.is_glyph_in_font(ord(icons_fontawesome_6.ICON_FA_PLAY))
        widths = {imgui.calc_text_size(digit).x for digit in "0123456789"}
    assert len(widths) == 1


def test_panels_settle_some_time_after_they_were_touched(context):
    context.touch()
    assert context.unsettled
    for _ in range(60):
        with frame(context):
            window("A")
    assert not context.unsettled
    context.set_theme("light")
    assert context.unsettled


def test_a_window_that_is_laid_out_unseen_is_not_settled(context):
    for _ in range(60):
        with frame(context):
            window("A")
    assert not context.unsettled
    with frame(context):
        window("A")
        window("new")
    assert context.unsettled


def test_closing_frees_and_may_be_repeated(context):
    context.close()
    context.close()
    assert context.closed
    with pytest.raises(RuntimeError, match="closed"), frame(context):
        pass


def test_closing_from_a_panel_waits_for_the_end_of_the_frame(context):
    with frame(context):
        context.close()
        window("A")
        assert not context.closed
    assert context.closed


def test_closing_from_another_thread_works(context):
    with frame(context):
        window("A")
    thread = threading.Thread(target=context.close)
    thread.start()
    thread.join(10)
    assert context.closed


def test_a_context_of_someone_else_stays_current():
    theirs = imgui.create_context()
    imgui.set_current_context(theirs)
    ours = UiContext()
    with frame(ours):
        window("A")
    ours.close()
    assert imgui.get_current_context() is theirs
    imgui.destroy_context(theirs)


def resident_kib():
    gc.collect()
    with open("/proc/self/statm") as statm:  # noqa: PTH123, no file of ours
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_opening_and_closing_again_and_again_keeps_no_memory():
    def cycle(times):
        for _ in range(times):
            context = UiContext()
            for _ in range(2):
                with frame(context):
                    window("A")
            context.close()

    cycle(20)
    before = resident_kib()
    cycle(100)
    # A context with its fonts takes about 1 MiB.
    assert resident_kib() - before < 10 * 1024


def test_no_file_is_written(context, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(400):
        with context.frame(400, 300, 1, 0.25):
            window("A")
    context.close()
    assert [*tmp_path.iterdir()] == []


def test_the_package_imports_without_imgui_bundle():
    code = (
        "import sys; sys.modules['imgui_bundle'] = None\n"
        "from studio_nb import ui, app\n"
        "print(ui.available())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install imgui-bundle" in result.stdout


def test_available_says_nothing_where_panels_work():
    assert ui.available() == ""


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        (
            "libX11.so.6: cannot open shared object file: No such file or directory",
            "apt-get install libx11-6",
        ),
        ("something\nodd", r"something odd"),
    ],
)
def test_available_names_what_to_install(monkeypatch, message, advice):
    def fail(_name):
        raise ImportError(message)

    monkeypatch.setattr("importlib.import_module", fail)
    assert advice in ui.available()
    assert "\n" not in ui.available()
