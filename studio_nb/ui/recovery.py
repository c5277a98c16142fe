"""Undoing what a panel left half built, so that the others and the frame stay whole.

`UiContext` notes the stacks before a panel draws and comes back to them after it.
All here works on the current contexts of Dear ImGui and ImPlot, inside a frame.
"""

import dataclasses

from imgui_bundle import imgui, implot

# What a person forgot, by the stack that tells. The first that grew says it: an
# open window also has an ID, flags and a focus scope open.
_STACKS = {
    "size_of_window_stack": "window",
    "size_of_begin_popup_stack": "popup",
    "size_of_tree_stack": "tree",
    "size_of_group_stack": "group",
    "size_of_id_stack": "ID",
    "size_of_disabled_stack": "disabled block",
    "size_of_color_stack": "style color",
    "size_of_style_var_stack": "style variable",
    "size_of_font_stack": "font",
    "size_of_item_flags_stack": "item flag",
    "size_of_focus_scope_stack": "focus scope",
}

# What Begin pushes on a window's draw list (one around it, one around its content),
# and one that must stay below them.
_OWN_CLIP_RECTS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Stacks:
    """How deep the stacks are at one moment.

    Attributes:
        imgui: Of Dear ImGui.
        plot_colors: Style colours pushed on ImPlot.
        plot_variables: Style variables pushed on ImPlot.
        clippers: List clippers between their `begin` and `end`.
    """

    imgui: imgui.internal.ErrorRecoveryState
    plot_colors: int
    plot_variables: int
    clippers: int

    @classmethod
    def now(cls) -> "Stacks":
        """Returns the depths at this moment."""
        state = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(state)
        plots = implot.get_current_context()
        return cls(
            state,
            plots.color_modifiers.size(),
            plots.style_modifiers.size(),
            imgui.get_current_context().clipper_temp_data_stacked,
        )


def configure() -> None:
    """Has a mistake raise where it is made, and recovery say nothing of it."""
    io = imgui.get_io()
    io.config_error_recovery_enable_assert = True
    # Recovery turns that off for itself and wants another report then: the log is
    # the one that shows nothing, and without its event it also keeps nothing.
    io.config_error_recovery_enable_tooltip = False
    io.config_error_recovery_enable_debug_log = True
    context = imgui.get_current_context()
    context.debug_log_flags &= ~int(imgui.internal.DebugLogFlags_.event_error)


def left_open(start: Stacks) -> str:
    """Returns in words what was opened since `start` and not closed, or nothing."""
    end = Stacks.now()
    for attribute, name in _STACKS.items():
        grown = getattr(end.imgui, attribute) - getattr(start.imgui, attribute)
        if grown > 0:
            return _counted(grown, name)
    if end.plot_colors > start.plot_colors:
        return _counted(end.plot_colors - start.plot_colors, "plot style color")
    if end.plot_variables > start.plot_variables:
        count = end.plot_variables - start.plot_variables
        return _counted(count, "plot style variable")
    if end.clippers > start.clippers:
        return _counted(end.clippers - start.clippers, "list clipper")
    return ""


def recover(start: Stacks) -> None:
    """Closes what was opened since `start`."""
    io = imgui.get_io()
    io.config_error_recovery_enable_assert = False
    try:
        for entry in imgui.get_current_context().current_window_stack:
            _refill_clip_rects(entry.window.draw_list)
        _recover_clippers(start)
        _recover_plots(start)
        imgui.internal.error_recovery_try_to_recover_state(start.imgui)
    finally:
        io.config_error_recovery_enable_assert = True


def _recover_clippers(start: Stacks) -> None:
    """Ends list clippers: one whose object goes after the frame ends the process.

    Its destructor wants the window that it began in. What a panel raised keeps the
    object until the error is forgotten.
    """
    context = imgui.get_current_context()
    while (depth := context.clipper_temp_data_stacked) > start.clippers:
        context.clipper_temp_data[depth - 1].list_clipper.end()


def _recover_plots(start: Stacks) -> None:
    """Closes plots and takes back styles: ImPlot has no recovery of its own."""
    plots = implot.get_current_context()
    if plots.current_plot is not None:
        implot.end_plot()
    if plots.current_subplot is not None:
        implot.end_subplots()
    colors = plots.color_modifiers.size() - start.plot_colors
    variables = plots.style_modifiers.size() - start.plot_variables
    implot.pop_style_color(max(colors, 0))
    implot.pop_style_var(max(variables, 0))


def _refill_clip_rects(draw_list: imgui.ImDrawList) -> None:
    """Puts back clip rectangles that a panel popped but did not push.

    The end of a window pops its own, and Dear ImGui cannot recover from there being
    none; what is too many is dropped when the next frame begins.
    """
    while draw_list._clip_rect_stack.size() < _OWN_CLIP_RECTS:  # noqa: SLF001, no other way
        draw_list.push_clip_rect_full_screen()


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count > 1 else ''}"
