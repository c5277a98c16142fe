"""Measures Studio's own web viewer: `mujoco.studio.viewer --gfx=web` and its page."""

import contextlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.browser import VIEW_HEIGHT, VIEW_WIDTH, processor_s
from benchmarks.figures import CpuMeter, Figures, Plan
from benchmarks.film import Film
from benchmarks.traffic import Traffic, size

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 10
CANVAS = "canvas"
# The key that pauses in Studio's viewers.
PAUSE_KEY = "Space"

# A frame is an animation frame in which something was drawn on the page's canvas.
COUNT_FRAMES = """(() => {
  globalThis.framesShown = 0;
  let drew = false;
  for (const name of ['drawElements', 'drawElementsInstanced', 'drawArrays',
                      'drawArraysInstanced']) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...values) {
      drew = true;
      return draw.apply(this, values);
    };
  }
  const tick = () => {
    if (drew) globalThis.framesShown += 1;
    drew = false;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
})()"""


@contextlib.contextmanager
def running_server(model: Path, folder: Path) -> Generator[tuple[int, str]]:
    """Runs the web viewer's server for the length of a `with` block.

    Args:
        model: What it shows.
        folder: For its log, and to run in.

    Yields:
        Its process id, and the address that it printed.

    Raises:
        RuntimeError: It ended, or named no address in time.
    """
    log = folder / "web_viewer.log"
    command = [sys.executable, "-u", "-m", "mujoco.studio.viewer", "--gfx=web"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, f"--model={model}"],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
        )
    try:
        yield process.pid, _address(process, log)
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Waits for the address that the server prints, and until it answers there."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        found = re.search(r"http://localhost:(\d+)", log.read_text(errors="replace"))
        if found:
            address = f"http://127.0.0.1:{found[1]}/"
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(address, timeout=5).close()
                return address
        time.sleep(0.05)
    tail = log.read_text(errors="replace")[-2000:]
    message = f"the web viewer did not start ({process.poll()}):\n{tail}"
    raise RuntimeError(message)


def measure(browser: "Browser", plan: Plan, folder: Path) -> Figures:
    """Opens the web viewer in a context without a cache and measures it.

    Args:
        browser: Where to open it.
        plan: What to measure.
        folder: An empty one.
    """
    viewport = {"width": VIEW_WIDTH, "height": VIEW_HEIGHT}
    context = browser.new_context(viewport=viewport)
    try:
        begin = time.monotonic()
        with running_server(plan.model, folder) as (pid, address):
            start_s = time.monotonic() - begin
            return _measure(context.new_page(), plan, pid, address, start_s)
    finally:
        context.close()


def _measure(
    page: "Page", plan: Plan, pid: int, address: str, start_s: float
) -> Figures:
    page.add_init_script(COUNT_FRAMES)
    devtools = page.context.new_cdp_session(page)
    traffic = Traffic(devtools)

    def open_page() -> tuple[float, float]:
        traffic.clear()
        film = Film(page, devtools)
        page.goto(address)
        opened_at = traffic.opened_at
        at = film.wait_for_first_picture(CANVAS, opened_at)
        received = traffic.files(until=at) + traffic.messages("", at)
        return at - opened_at, size(received)

    first_s, first_bytes = open_page()
    page.goto("about:blank")
    again_s, again_bytes = open_page()

    page.wait_for_timeout(plan.warm_up_s * 1000)
    running = _observe(page, traffic, pid, plan.window_s)
    page.mouse.move(VIEW_WIDTH / 2, VIEW_HEIGHT / 2)
    page.keyboard.press(PAUSE_KEY)
    _wait_until_paused(page, traffic)
    page.wait_for_timeout(plan.warm_up_s * 1000)
    paused = _observe(page, traffic, pid, plan.window_s)
    return Figures(
        start_s=start_s,
        picture_s=first_s,
        picture_bytes=first_bytes,
        again_s=again_s,
        again_bytes=again_bytes,
        fps=running["fps"],
        browser_frame_s=running["browser_s"] / max(1, running["shown"]),
        drawn_scale=1.0,
        scene_frame_bytes=running["state_bytes"] / running["states"],
        frame_message_bytes=None,
        ui_second_bytes=running["ui_bytes"] / running["seconds"],
        socket_second_bytes=running["socket_bytes"] / running["seconds"],
        requests_second=running["requests"] / running["seconds"],
        cpu_running=running["cpu"],
        relay_cpu_running=None,
        cpu_paused=paused["cpu"],
        relay_cpu_paused=None,
        paused_second_bytes=paused["socket_bytes"] / paused["seconds"],
    )


def _observe(
    page: "Page", traffic: Traffic, pid: int, seconds: float
) -> dict[str, float]:
    traffic.clear()
    frames = page.evaluate("framesShown")
    drawing = processor_s(page)
    cpu, begin = CpuMeter(pid, children=True), time.monotonic()
    page.wait_for_timeout(seconds * 1000)
    elapsed = time.monotonic() - begin
    share = cpu.share(elapsed)
    # Taken before the page is asked: the answer of a busy one takes seconds.
    states = traffic.messages("/state")
    figures = {
        "seconds": elapsed,
        "cpu": share,
        "states": max(1, len(states)),
        "state_bytes": size(states),
        "ui_bytes": size(traffic.messages("/ui")),
        "socket_bytes": size(traffic.messages("")),
        "requests": sum(r.size > 0 for r in traffic.files()),
    }
    shown = page.evaluate("framesShown") - frames
    return {
        **figures,
        "shown": shown,
        "fps": shown / (time.monotonic() - begin),
        "browser_s": processor_s(page) - drawing,
    }


def _wait_until_paused(page: "Page", traffic: Traffic) -> None:
    """Waits until the state that is sent stays the same.

    Raises:
        TimeoutError: It went on.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        traffic.clear()
        page.wait_for_timeout(500)
        payloads = {m.payload for m in traffic.messages("/state")}
        if len(payloads) == 1:
            return
    message = f"the web viewer runs on: {PAUSE_KEY} did not pause it"
    raise TimeoutError(message)
