"""Runs plugins that were written for Studio's own Dear ImGui and ImPlot.

Those plugins import `mujoco.studio.dear_imgui` and `mujoco.studio.implot`, which
are compiled and draw where a notebook can't look. `install` puts stand-ins in their
places: `dear_imgui` and `implot` have the same names, arguments and results, drawn
with imgui-bundle. Importing this package does not load imgui-bundle.
"""

from studio_nb.shim.install import active, install_for_cells, uninstall_for_cells

__all__ = ["active", "install_for_cells", "uninstall_for_cells"]
