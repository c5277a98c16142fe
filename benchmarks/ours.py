"""Measures studio_nb in a notebook: a JupyterLab, a kernel, and `%studio` in a cell.

JupyterLab's own start is not measured: the page is open, the kernel idle and the
extension loaded when the cell is run, as the web viewer's server is up when its page is
opened.
"""

import contextlib
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks import jupyter
from benchmarks.browser import VIEW_HEIGHT, VIEW_WIDTH, processor_s
from benchmarks.figures import CpuMeter, Figures, Plan
from benchmarks.film import Film
from benchmarks.traffic import Traffic, size
from tests.browser.notebook import Notebook

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.browser.lab import Lab

VIEW = ".snb-view"
# What JupyterLab puts around the view; the width is corrected once the view is there.
MARGIN_WIDTH, MARGIN_HEIGHT = 180, 300
KERNEL_SOCKET = "/api/kernels/"
# The scripts of JupyterLab and of its extensions, should the widget need more of them.
# What else JupyterLab fetches meanwhile (its lists of kernels, its icon) is not for us.
SCRIPTS = ("/lab/extensions/", "/static/lab/")
LOAD, OPEN = 0, 1  # the cells

COUNT_FRAMES = """(() => {
  globalThis.framesShown = 0;
  const show = ImageBitmapRenderingContext.prototype.transferFromImageBitmap;
  ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
    if (this.canvas.matches('.snb-scene')) globalThis.framesShown += 1;
    return show.call(this, bitmap);
  };
})()"""


class Bench:
    """A notebook with `%studio` in it, and all that measures it.

    Attributes:
        parts: Bytes to the first picture, by what they are for; then opened again.
    """

    def __init__(self, page: "Page", lab: "Lab", plan: Plan) -> None:
        """Opens the notebook and loads the extension."""
        self.page = page
        self.parts: list[dict[str, int]] = []
        page.add_init_script(COUNT_FRAMES)
        self._devtools = page.context.new_cdp_session(page)
        self._traffic = Traffic(self._devtools)
        self._plan = plan
        cells = [
            "%load_ext studio_nb",
            f"%studio '{plan.model}' --height {VIEW_HEIGHT}",
        ]
        self.notebook = Notebook(page, lab, lab.write_notebook("benchmark", cells))
        self.notebook.command("application:toggle-left-area")
        begin = time.monotonic()
        self.notebook.run(LOAD)
        self._start_s = time.monotonic() - begin
        self._kernel: int = self.notebook.evaluate("__import__('os').getpid()")
        self._server = psutil.Process(self._kernel).ppid()

    def measure(self) -> Figures:
        """Takes all figures; afterwards the session is open and paused."""
        first_s, first_bytes = self._open_view()
        self._close_view()
        again_s, again_bytes = self._open_view()

        self._fit()
        self.page.wait_for_timeout(self._plan.warm_up_s * 1000)
        running = self._observe()
        scale = self.notebook.evaluate("studio.stats()")["scale"]
        self.notebook.evaluate("studio.pause()")
        self.page.wait_for_timeout(self._plan.warm_up_s * 1000)
        paused = self._observe()
        return Figures(
            start_s=self._start_s,
            picture_s=first_s,
            picture_bytes=first_bytes,
            again_s=again_s,
            again_bytes=again_bytes,
            fps=running["fps"],
            browser_frame_s=running["browser_s"] / max(1, running["shown"]),
            drawn_scale=scale,
            scene_frame_bytes=running["state_bytes"] / running["states"],
            frame_message_bytes=running["frame_bytes"] / running["frames"],
            ui_second_bytes=running["ui_bytes"] / running["seconds"],
            socket_second_bytes=running["socket_bytes"] / running["seconds"],
            requests_second=running["requests"] / running["seconds"],
            cpu_running=running["cpu"],
            relay_cpu_running=running["relay_cpu"],
            cpu_paused=paused["cpu"],
            relay_cpu_paused=paused["relay_cpu"],
            paused_second_bytes=paused["socket_bytes"] / paused["seconds"],
        )

    def physics(self, root: "Path", rounds: int, seconds: float) -> Any:  # noqa: ANN401
        """Has the kernel compare the session with a bare loop, while the page draws.

        Args:
            root: The checkout, from which the kernel takes `benchmarks.physics`.
            rounds: See `physics.compare`.
            seconds: See `physics.compare`.
        """
        self.notebook.evaluate(f"__import__('sys').path.append({str(root)!r})")
        module = "__import__('benchmarks.physics').physics"
        return self.notebook.evaluate(f"{module}.compare(studio, {rounds}, {seconds})")

    def _open_view(self) -> tuple[float, float]:
        """Runs the cell: seconds and bytes until the model is to be seen."""
        self._traffic.clear()
        film = Film(self.page, self._devtools)
        begin = time.time()
        self.notebook.run(OPEN, wait=False)
        at = film.wait_for_first_picture(VIEW, begin)
        self.notebook.check(OPEN)
        sockets = self._traffic.messages(KERNEL_SOCKET, at)
        self.parts.append(jupyter.count_parts(m.payload for m in sockets))
        return at - begin, size(sockets + self._traffic.files(SCRIPTS, at))

    def _close_view(self) -> None:
        """Leaves a fresh page that knows nothing but what the browser stored."""
        self.notebook.evaluate("studio.close()")
        self.notebook.command("notebook:clear-all-cell-outputs")
        self.notebook.save()
        self.notebook.reload()

    def _fit(self) -> None:
        """Makes the window as wide as the view needs to be 900 pixels wide."""
        box, window = self.page.locator(VIEW).bounding_box(), self.page.viewport_size
        if box is None or window is None:
            message = f"the page has no {VIEW}: the session is gone"
            raise RuntimeError(message)
        width = window["width"] + round(VIEW_WIDTH - box["width"])
        self.page.set_viewport_size({"width": width, "height": window["height"]})

    def _observe(self) -> dict[str, float]:
        self._traffic.clear()
        shown = self.page.evaluate("framesShown")
        drawing = processor_s(self.page)
        kernel, server = CpuMeter(self._kernel), CpuMeter(self._server)
        begin = time.monotonic()
        self.page.wait_for_timeout(self._plan.window_s * 1000)
        seconds = time.monotonic() - begin
        cpu, relay_cpu = kernel.share(seconds), server.share(seconds)
        sockets = self._traffic.messages(KERNEL_SOCKET)
        streams = jupyter.count_streams(m.payload for m in sockets)
        shown = self.page.evaluate("framesShown") - shown
        return {
            "seconds": seconds,
            "cpu": cpu,
            "relay_cpu": relay_cpu,
            "shown": shown,
            "fps": shown / (time.monotonic() - begin),
            "browser_s": processor_s(self.page) - drawing,
            "frames": max(1, streams.frames),
            "frame_bytes": streams.whole,
            "states": max(1, streams.with_state),
            "state_bytes": streams.state,
            "ui_bytes": streams.ui,
            "socket_bytes": size(sockets),
            "requests": sum(r.size > 0 for r in self._traffic.files()),
        }


@contextlib.contextmanager
def running_bench(browser: "Browser", lab: "Lab", plan: Plan) -> Generator[Bench]:
    """A `Bench` in a browser context without a cache, for a `with` block."""
    context = browser.new_context(
        viewport={
            "width": VIEW_WIDTH + MARGIN_WIDTH,
            "height": VIEW_HEIGHT + MARGIN_HEIGHT,
        }
    )
    try:
        bench = Bench(context.new_page(), lab, plan)
        yield bench
        bench.notebook.close()
    finally:
        context.close()
