"""The section Simulation of the Options: run, step, speed, keyframes, threads.

All goes through `Controls`, as from the toolbar. Viewer thread only.
"""

import math
import os
from collections.abc import Callable, Sequence

from imgui_bundle import ImVec2, imgui

from studio_nb.app import widgets
from studio_nb.app.controls import SPEEDS, Controls, speed_label
from studio_nb.app.panel import Panel, Scope

# Of text; wide enough for any of the buttons' words.
_BUTTON_EM = 5.5
# Wide enough for what is measured; a number that moves keeps its length.
_MEASURED_DIGITS = 7

_TOOLTIP = imgui.HoveredFlags_.for_tooltip

Action = tuple[str, str, Callable[[], object] | None]


_CORES = os.cpu_count() or 1


class Simulation(Panel):
    """The section."""

    title = "Simulation"

    def on_model(self, scope: Scope) -> None:
        """Gives the new model's data the threads that the last one's had."""
        if scope.controls.threads:
            scope.controls.set_threads(scope.controls.threads)

    def draw(self, scope: Scope) -> None:
        """Draws what acts, the speed, the keyframes and the threads."""
        controls = scope.controls
        _buttons(
            "actions",
            (
                ("Pause###run", "Space", controls.toggle_run)
                if controls.running
                else ("Run###run", "Space", controls.toggle_run),
                ("Step back", "Left", controls.step_back),
                ("Step", "Right", controls.step),
                ("Reset", f"To {controls.key_label}: Backspace", controls.reset),
                ("Reload", "The model's source again: Ctrl+L", controls.reload),
                (
                    "Align",
                    "The model's home camera, else the whole model: Ctrl+A",
                    controls.align_camera,
                ),
            ),
        )
        with widgets.rows("simulation") as visible:
            if visible:
                _speed(controls)
                _threads(controls)
                _keyframe(controls)
        _key_buttons(scope)


def _speed(controls: Controls) -> None:
    speeds = SPEEDS if controls.speed in SPEEDS else (*SPEEDS, controls.speed)
    changed, place = widgets.choice(
        "speed",
        speeds.index(controls.speed),
        [speed_label(speed) for speed in speeds],
        tip="Wanted, percent of real time (+, -); max is as fast as it goes.",
    )
    if changed:
        controls.set_speed(speeds[place])
    factor = controls.real_time_factor
    known = factor is not None and math.isfinite(factor)
    measured = f"{100 * factor:.1f}" if known and factor is not None else "\N{EN DASH}"
    tip = "Simulated time by real time, as measured."
    widgets.text("measured", f"{measured:>{_MEASURED_DIGITS}} %", tip)


def _threads(controls: Controls) -> None:
    changed, number = widgets.integer(
        "threads",
        controls.threads,
        0,
        _CORES,
        tip="Worker threads of the simulation; 0: none, it uses its own alone.",
    )
    if changed and number != controls.threads:
        controls.set_threads(number)


def _keyframe(controls: Controls) -> None:
    labels = controls.key_labels
    place = 0 if controls.key is None else controls.key + 1
    tip = "What reset goes to, and what Save writes."
    changed, place = widgets.choice("keyframe", place, labels, tip=tip)
    if changed:
        controls.select_key(place - 1 if place else None)


def _key_buttons(scope: Scope) -> None:
    controls = scope.controls
    save, why = None, "The initial state is the model's: choose a keyframe."
    if not controls.key_names:
        why = "The model has no keyframe: paste a copy into its <keyframe>."
    elif controls.key is not None:
        save, why = controls.save_key, f"The present state into {controls.key_label}."
    _buttons(
        "keyframes",
        (
            ("Load", f"Go to {controls.key_label}.", controls.reset),
            ("Save", why, save),
            (
                "Copy",
                "The present state as a <key/> of MJCF: Ctrl+C",
                lambda: imgui.set_clipboard_text(controls.key_line()),
            ),
        ),
    )


def _buttons(ident: str, actions: Sequence[Action]) -> None:
    """Draws buttons of one width, as many in a row as there is room for.

    Args:
        ident: ID of their table.
        actions: Of each: words, tooltip, and what it does; None: it is disabled.
    """
    room = imgui.get_content_region_avail().x
    width = _BUTTON_EM * imgui.get_font_size()
    columns = min(max(1, int(room // width)), 3)
    if not imgui.begin_table(ident, columns, imgui.TableFlags_.no_saved_settings):
        return
    for words, tip, act in actions:
        imgui.table_next_column()
        if act is None:
            imgui.begin_disabled()
        if imgui.button(words, ImVec2(-1.0, 0.0)) and act is not None:
            act()
        if act is None:
            imgui.end_disabled()
        if imgui.is_item_hovered(_TOOLTIP):
            imgui.set_tooltip(tip)
    imgui.end_table()
