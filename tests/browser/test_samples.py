"""The sample notebooks: each runs to its end, and does what it says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.browser.person import EYES, WIDE, Person
from tests.browser.view import View
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.lab import Lab
    from tests.browser.notebook import Notebook

    Sample = Callable[[str], Person]

# More for the eyes: what the scene has of an overlay, and where a body is seen.
MORE_EYES = """
import copy
import math
import mujoco
import numpy as np

watch("slider_float")
MESH = mujoco.mjtGeom.mjGEOM_MESH

def translucent(session):
    scene = session._session.viewer._scene.scene
    return [g for g in scene.geoms[:scene.ngeom] if g.rgba[3] < 0.5]

def shown(geoms):
    return [[g.type, g.dataid, *map(float, g.pos)] for g in geoms]

def seen_at(name):
    def look_for(viewer):
        body, size = viewer.model.body(name).id, viewer.page.look
        hits = []
        for y in range(60, int(size.height) - 40, 6):
            for x in range(300, int(size.width) - 300, 6):
                hit = viewer.pick(x, y)
                if hit is not None and hit.body == body:
                    hits.append([x, y])
        return hits and hits[len(hits) // 2]
    return studio._session.reach("viewer", look_for)

def under(x, y):
    pick = lambda viewer: viewer.pick(x, y).point.tolist()
    return studio._session.reach("viewer", pick)

def distance_to_past(geoms, delay):
    "From geoms to where the model's were, in the recorded row that fits best."
    history = studio.history
    model = studio.call(lambda model, data: copy.copy(model))
    data = mujoco.MjData(model)
    rows = np.flatnonzero(history.time >= history.time[-1] - delay - 0.01)
    best = np.inf
    for row in rows[history.time[rows] < history.time[-1] - delay / 2]:
        data.qpos[:] = history.qpos[row]
        mujoco.mj_kinematics(model, data)
        gaps = np.linalg.norm(data.geom_xpos - geoms[:, None], axis=2).min(axis=1)
        best = min(best, float(gaps.max()))
    return best
"""


@pytest.fixture
def sample(lab: Lab, open_path: Callable[[str], Notebook]) -> Sample:
    """Opens one of the notebooks and runs it, with a cell ahead that helps to see."""

    def sample(name: str) -> Person:
        text = (ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
        cells = nbformat.reads(text, as_version=4)
        eyes = nbformat.v4.new_code_cell(EYES + MORE_EYES)
        cells.cells.insert(0, eyes)
        notebook = open_path(lab.add_notebook(name, nbformat.writes(cells)))
        notebook.page.set_viewport_size(WIDE)
        notebook.run_all()
        person = Person(notebook)
        person.sits_down()
        assert states(person) == {"running"}
        return person

    return sample


def states(person: Person, name: str = "studio") -> set[str]:
    return set(person.ask(f"[state.state for state in {name}.plugins]"))


def double_click(person: Person, body: str) -> None:
    """Selects a body with the mouse; it holds still meanwhile."""
    person.ask("studio.pause()")
    person.wait("viewer().paused")
    person.view.wait_until_still()
    person.page.mouse.dblclick(*person.place(*person.wait(f"seen_at({body!r})")))
    person.wait(f"studio.widget.selected_body == viewer().model.body({body!r}).id")
    person.ask("studio.play()")


def test_a_ghost_stands_where_the_robot_was_and_one_of_meshes_is_made_of_meshes(
    sample: Sample,
):
    person = sample("ghost")
    person.wait("len(translucent(studio)) > 3")
    # The slider goes from 0 to 3 s.
    x0, y0, x1, y1 = person.item("delay")
    person.page.mouse.click(*person.place(x0 + 0.5 * (x1 - x0), (y0 + y1) / 2))
    delay = person.wait("abs(style['delay'] - 0.6) > 0.1 and style['delay']")
    person.wait(f"studio.time > {2 * delay}")
    person.session.ask("studio.pause()")
    person.session.wait_until_paused(paused=True)
    person.notebook.keep_screenshot("sample ghost")
    person.wait("viewer().paused")
    person.wait(
        "(lambda geoms: len(geoms) > 3 and distance_to_past("
        f"np.array([g.pos for g in geoms]), {delay}) < 0.02)(translucent(studio))"
    )

    view = View(person.notebook, 1)
    view.root.scroll_into_view_if_needed()
    view.wait_until_drawn()
    # What lies still has no ghost.
    person.ask("dice.reset()")
    of_meshes = "[g for g in shown(translucent(dice)) if g[0] == MESH]"
    geoms = person.wait(of_meshes)
    person.notebook.keep_screenshot("sample ghost of dice")
    meshes = person.ask("dice.call(lambda model, data: model.nmesh)")
    assert {mesh // 2 for _, mesh, *_ in geoms} <= set(range(meshes))
    assert states(person, "dice") == {"running"}


def test_the_inspector_follows_the_selection(sample: Sample):
    person = sample("inspector")
    person.wait("'Double-click' in ' '.join(texts('Body')) or look() is None")
    double_click(person, "foot_left")
    person.wait("trace.body == viewer().perturb.select")
    person.wait("bool(trace.values[2, -1] > 10)")
    height, speed, _ = person.ask("trace.values[:, -1].tolist()")
    assert 0 < height < 0.3
    assert speed >= 0
    person.wait("int(np.isfinite(trace.values[0]).sum()) > 60")
    person.notebook.keep_screenshot("sample inspector")
    double_click(person, "head")
    person.wait("bool(trace.values[0, -1] > 1)")
    assert person.ask("trace.values[2, -1]") == 0
    assert states(person) == {"running"}


def speed_since(person: Person, time: float) -> Any:
    return person.ask(
        f"(lambda h: float(np.abs(h.qvel[h.time >= {time}]).max()))(studio.history)"
    )


def test_the_controller_takes_gains_from_sliders_and_kicks_from_button_and_key(
    sample: Sample,
):
    person = sample("controller")
    person.notebook.keep_screenshot("sample controller")
    still = "studio.call(lambda m, d: float(np.abs(d.qvel).max()) < 0.05)"
    for kick in (lambda: person.click("Kick"), lambda: person.press("Control+k")):
        person.wait(still)
        since = person.session.time()
        assert speed_since(person, since) < 0.1
        kick()
        person.notebook.poll(lambda s=since: speed_since(person, s) > 5, "kick")
        person.focus()
    errors = person.ask(
        "float(np.abs(gains.target - studio.call(lambda m, d: d.qpos.copy())).max())"
    )
    assert errors < 0.5
    x0, y0, _, y1 = person.item("kp")
    person.page.mouse.click(*person.place(x0 + 8, (y0 + y1) / 2))
    person.wait("gains.kp < 1")
    person.click("carry the weight")
    # Weak, and without help: the lamp sags.
    person.wait(
        "not gains.gravity and studio.call("
        "lambda m, d: bool(abs(d.qpos[1] - gains.target[1]) > 0.5))"
    )
    assert states(person) == {"running"}


def bodies(person: Person, asset: str) -> list[str]:
    return person.ask(
        "studio.call(lambda m, d: [m.body(i).name for i in range(m.nbody)"
        f" if m.body(i).name.startswith('dropped-{asset}')])"
    )


def test_an_asset_is_dragged_into_the_scene_and_the_simulation_goes_on(sample: Sample):
    person = sample("assets")
    person.notebook.poll(lambda: len(bodies(person, "ball")) == 4, "rain of balls")
    before = person.session.time()
    spot = person.place(440, 420)
    person.page.mouse.move(*person.centre("mug", "Assets"))
    person.page.mouse.down()
    person.page.mouse.move(*spot, steps=12)
    x, y, z = person.ask("under(440, 420)")
    person.wait(f"dragged['place'] and math.dist(dragged['place'], {[x, y, z]}) < 1e-6")
    person.wait("len(viewer().overlay_geoms) == 1")
    person.notebook.keep_screenshot("sample assets, dragged")
    person.page.mouse.up()
    (mug,) = person.notebook.poll(lambda: bodies(person, "mug"), "mug")
    place = person.ask(f"studio.call(lambda m, d: m.body({mug!r}).pos.tolist())")
    assert math.dist(place[:2], (x, y)) < 0.05
    assert place[2] > z + 0.2
    assert person.session.time() > before
    person.wait("dragged == dict(asset=None, place=None)")

    double_click(person, "head")
    person.click("chain", "Assets")
    person.notebook.poll(lambda: bodies(person, "chain"), "chain")
    person.notebook.keep_screenshot("sample assets")
    person.click("Clear", "Assets")
    person.notebook.poll(lambda: not bodies(person, ""), "end of what was dropped")
    assert states(person) == {"running"}
    assert person.session.time() > before


def test_a_policy_runs_at_the_views_pace_and_pauses_with_it(sample: Sample):
    person = sample("gymnasium")
    assert person.ask("studio.call(lambda m, d: d is world.data and m is world.model)")
    found = person.ask("[score(policy, arena), best]")
    assert found[0] == pytest.approx(found[1])
    assert found[1] > 50
    before = person.ask("[last.episode, last.total]")
    person.wait(f"[last.episode, last.total] != {before}")
    person.wait("float(np.ptp(rewards))")
    person.notebook.keep_screenshot("sample gymnasium")

    person.click("Pause", "Options")
    person.session.wait_until_paused(paused=True)
    stopped = person.ask("world.data.time")
    person.notebook.observe(0.5)
    assert person.ask("world.data.time") == stopped
    # One step of the environment is five of the physics.
    person.click("Step", "Options")
    person.wait(f"abs(world.data.time - {stopped} - world.dt) < 1e-9")
    person.ask("studio.play()")
    person.wait("not viewer().paused")
    episode = person.ask("last.episode")
    person.ask("studio.reset()")
    person.wait(f"last.episode > {episode}")
    assert states(person) == {"running"}
