"""The notebook launcher: a drop-in for `mujoco.studio.launch_web`.

For scripts that own their loop or bring all their plugins. `studio_nb.open` and
`%studio` are the comfortable way: they bring the stepping, history and panels.
"""

import threading
from collections.abc import Iterable

import mujoco
from IPython.display import display
from mujoco.studio import messages, plugin, viewer_handle, viewer_protocol

from studio_nb import channels, registry, shim
from studio_nb.link import Link
from studio_nb.panels import with_own_app
from studio_nb.sim.frames import FrameSource
from studio_nb.sim.handle import Caller, SimHandle
from studio_nb.viewer import NotebookViewer
from studio_nb.widget import StudioWidget


def launch(
    config: viewer_protocol.ViewerConfig | None = None,
    *,
    plugins: Iterable[plugin.Plugin] | None = None,
) -> viewer_handle.ViewerHandle:
    """Shows a view under the cell and returns without blocking.

    Args:
        config: Studio's configuration; `height` is the view's, CSS pixels.
        plugins: Viewer and sim plugins, as for `mujoco.studio.launch_web`.

    Returns:
        The handle: publish a model with `set_model`, then call `sync` in a loop.
    """
    config = config or viewer_protocol.ViewerConfig(gfx="notebook", height=560)
    viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
    link = Link()
    widget = StudioWidget(link, height=config.height)
    viewer_end, sim_end = channels.connect(threading.Event(), link.wake)
    failure: list[BaseException] = []

    def view() -> None:
        try:
            viewer = NotebookViewer(
                config,
                viewer_end,
                link,
                plugins=with_own_app(viewer_plugins, wanted=False),
                on_error=registry.log,
            )
            with shim.active():
                viewer_protocol.run_viewer_loop(viewer)
        except Exception as error:  # noqa: BLE001 - raised again by the handle
            failure.append(error)

    def forward_error() -> None:
        if failure:
            raise failure.pop()

    def shut_down(timeout: float) -> None:
        thread.join(timeout)
        widget.retire()

    thread = threading.Thread(target=view, name="studio-nb viewer", daemon=True)
    thread.start()
    display(widget)
    return SimHandle(
        sim_end,
        plugins=sim_plugins,
        own=[FrameSource(), Caller()],
        on_error=registry.log,
        is_alive_fn=thread.is_alive,
        shutdown_fn=shut_down,
        forward_error_fn=forward_error,
    )


def run(
    config: viewer_protocol.ViewerConfig | None = None,
    *,
    model: mujoco.MjModel | None = None,
    data: mujoco.MjData | None = None,
    model_path: str | None = None,
    plugins: Iterable[plugin.Plugin] | None = None,
) -> None:
    """Shows a view under the cell and runs the sim loop until it is interrupted.

    Args:
        config: Studio's configuration.
        model: A compiled model; not together with `model_path`.
        data: The data for `model`; None for a fresh one.
        model_path: A model file (XML, URDF, MJB or MJZ).
        plugins: Viewer and sim plugins; one of them must step the simulation.

    Raises:
        ValueError: If both `model` and `model_path` are given.
    """
    if model is not None and model_path:
        msg = "give model or model_path, not both"
        raise ValueError(msg)
    with launch(config, plugins=plugins) as handle:
        if model is not None:
            handle.set_model(model, data=data)
        else:
            handle.dispatch(messages.LoadModelEvent(path=model_path or ""))
        viewer_handle.run_sim_loop(handle)
