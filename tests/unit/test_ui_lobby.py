"""What is drawn outside of all frames: it shows nothing and ends nothing."""

import subprocess
import sys
import textwrap

import pytest

CODE = """
    import logging

    from imgui_bundle import imgui, implot
    from studio_nb.ui import UiContext

    logging.basicConfig()
    context = UiContext()
    for _ in range(3):
        with context.frame(400, 300, 1, 0.1):
            imgui.begin("panel")
            imgui.end()
        try:
            {call}
        except RuntimeError:
            pass
    context.close()
    {call}
    with UiContext().current():
        print("alive")
"""


@pytest.mark.parametrize(
    "call",
    [
        "imgui.text('x')",
        "imgui.button('x')",
        "imgui.begin('x')",
        "imgui.get_window_draw_list().add_line((0, 0), (9, 9), 1)",
        "imgui.begin_table('x', 2)",
        "imgui.push_id('x')",
        "implot.begin_plot('x')",
        "imgui.end_frame()",
    ],
)
def test_a_call_outside_of_a_frame_does_not_end_the_process(call):
    code = textwrap.dedent(CODE).format(call=call)
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


def test_it_is_told_once_where_to_draw_instead():
    code = textwrap.dedent(CODE).format(call="imgui.text('x')")
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stderr.count("draw in @studio.panel") == 1
