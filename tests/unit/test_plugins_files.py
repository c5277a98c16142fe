"""Plugin files: loaded, told about when they are wrong, and taken over when saved."""

import itertools
import os
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from mujoco.studio import plugin

import studio_nb
from studio_nb import magics
from studio_nb.errors import StudioError
from studio_nb.plugins import files
from tests.fakepage import until
from tests.unit.conftest import PENDULUM
from tests.unit.plugged import viewed_studio

_count = itertools.count()

SOURCE = """
from mujoco.studio import messages, plugin
from {helper} import gain

class Driver(plugin.SimPlugin):
    word = "{word}"
    reloads = 0

    def __init__(self):
        self.calls = 0

    @messages.handler
    def on_pre_step(self, event: messages.PreStepEvent) -> None:
        self.calls += 1
        event.data.ctrl[0] = {value} * gain()

    @messages.handler
    def on_reload(self, event: messages.HotReloadEvent) -> None:
        self.reloads += self in event.plugins

class Watcher(plugin.ViewerPlugin):
    word = "{word}"
"""


GREEDY = """
from mujoco.studio import plugin
class A(plugin.SimPlugin):
    def __init__(self, kp): pass
"""


class PluginFile:
    """A plugin file with a name of its own, and a helper beside it."""

    def __init__(self, folder):
        number = next(_count)
        self.path = folder / f"plugin_{number}.py"
        self.helper = folder / f"helper_{number}.py"
        self._saves = itertools.count(1)
        self.save_helper(1)
        self.save()

    def save(self, word="old", value=1.0, text=None):
        """Saves the file, with a time of its own."""
        text = text or SOURCE.format(helper=self.helper.stem, word=word, value=value)
        self._write(self.path, text)

    def save_helper(self, gain):
        self._write(self.helper, f"def gain():\n    return {gain}\n")

    def _write(self, file, text):
        file.write_text(text)
        now = file.stat().st_mtime_ns + next(self._saves) * 1_000_000_000
        os.utime(file, ns=(now, now))

    def forget(self):
        for name in list(sys.modules):
            if name.endswith((self.path.stem, self.helper.stem)):
                del sys.modules[name]


@pytest.fixture
def file(tmp_path):
    made = PluginFile(tmp_path)
    yield made
    made.forget()


def opened(file, **options):
    return studio_nb.open(PENDULUM, view=False, plugins=file.path, **options)


def drive(studio):
    """Returns the control that the plugin set in the last step."""
    studio.step()
    return studio.call(lambda _m, d: float(d.ctrl[0]))


# -- loading -------------------------------------------------------------------


def test_a_file_gives_an_instance_of_each_of_its_classes(file):
    driver, watcher = files.load(file.path)
    assert isinstance(driver, plugin.SimPlugin)
    assert isinstance(watcher, plugin.ViewerPlugin)


def test_files_and_instances_may_be_mixed_and_say_where_they_come_from(file):
    class Mine(plugin.SimPlugin):
        pass

    plugins = [Mine(), str(file.path)]
    with studio_nb.open(PENDULUM, view=False, plugins=plugins) as studio:
        origins = {
            state.name.rpartition(".")[2]: state.origin for state in studio.plugins
        }
    assert origins == {"Mine": "Python", "Driver": file.path.name}


def test_a_file_that_was_loaded_before_is_run_anew_with_its_helpers(file):
    with opened(file, paused=True) as studio:
        assert drive(studio) == 1
    file.save_helper(5)
    file.save(value=2.0)
    with opened(file, paused=True) as studio:
        assert drive(studio) == 10


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\nimport no_such_thing", r"no_such_thing.*line 2"),
        ("x = 1\ny = = 2", r"SyntaxError.*line 2"),
        ("x = 1\n\ndef f():\n    raise OSError('disk')\nf()", r"OSError: disk.*line 4"),
        ("x = 1", "defines no ViewerPlugin or SimPlugin"),
        ("import sys\nsys.exit(2)", r"SystemExit: 2.*line 2"),
        (
            GREEDY,
            r"A\.__init__\(\) missing 1 required positional argument: 'kp'",
        ),
    ],
)
def test_a_file_that_is_wrong_is_named_with_its_line(file, text, says):
    file.save(text=text)
    with pytest.raises(StudioError, match=says) as told:
        files.load(file.path)
    assert str(file.path) in str(told.value)


def test_a_file_that_is_wrong_leaves_the_session_of_that_name(file):
    with studio_nb.open(PENDULUM, view=False, name="robot") as studio:
        file.save(text="1 / 0")
        with pytest.raises(StudioError, match="ZeroDivisionError"):
            opened(file, name="robot")
        assert not studio.closed


def test_the_magic_loads_files_and_reloads_them(file):
    shell = InteractiveShell()
    magics.load(shell)
    shell.user_ns["model"] = PENDULUM
    line = f"model --paused --plugins {file.path} --hot-reload plugins"
    shell.run_line_magic("studio", line)
    studio = shell.user_ns["studio"]
    assert drive(studio) == 1
    file.save(value=4.0)
    until(lambda: drive(studio) == 4)
    studio.close()


def test_what_cannot_be_reloaded_is_told(file):
    with pytest.raises(StudioError, match="hot_reload='every thing'"):
        opened(file, hot_reload="every thing")


# -- hot reloading -------------------------------------------------------------


def test_a_saved_plugin_goes_on_with_its_state(file):
    with opened(file, hot_reload="all", paused=True) as studio:
        (state,) = studio.plugins
        running = state.plugin
        studio.step(5)
        calls = running.calls
        file.save(word="new", value=3.0)
        until(lambda: running.word == "new")
        assert drive(studio) == 3
        assert running.calls > calls
        assert running.reloads == 1
        assert studio.plugins[0].plugin is running


def test_a_saved_helper_reloads_what_imports_it(file):
    with opened(file, hot_reload="plugins", paused=True) as studio:
        file.save_helper(7)
        until(lambda: drive(studio) == 7)


def test_a_saved_viewer_plugin_is_swapped_too(file):
    studio, page = viewed_studio()
    studio.close()
    watcher = files.load(file.path)[1]
    studio, page = viewed_studio([watcher], hot_reload="plugins")
    file.save(word="new")
    page.until(lambda: getattr(watcher, "word", "") == "new")
    studio.close()


def test_a_broken_file_leaves_the_code_running_and_is_told_once(file):
    with opened(file, hot_reload="plugins", paused=True) as studio:
        running = studio.plugins[0].plugin
        drive(studio)
        file.save(text="x = 1\ny = = 2")
        until(lambda: studio.errors)
        calls = running.calls
        until(lambda: running.calls > calls + 20)
        (error,) = studio.errors
        assert f"{file.path}, line 2: SyntaxError" in error
        assert "the code before it goes on" in error
        assert drive(studio) == 1
        file.save(value=2.0)
        until(lambda: drive(studio) == 2)
        assert len(studio.errors) == 1


def test_a_mended_file_switches_its_plugin_on_again(file):
    broken = SOURCE.replace("self.calls += 1", "nonsense")
    file.save(text=broken.format(helper=file.helper.stem, word="x", value=1))
    with opened(file, hot_reload="plugins", paused=True) as studio:
        until(lambda: studio.plugins[0].state == "off")
        file.save(value=6.0)
        until(lambda: studio.plugins[0].state == "running")
        assert drive(studio) == 6


def test_a_plugin_that_came_later_is_watched(file):
    with studio_nb.open(
        PENDULUM, view=False, hot_reload="plugins", paused=True
    ) as studio:
        driver = files.load(file.path)[0]
        studio.add(driver)
        assert drive(studio) == 1
        file.save(value=8.0)
        until(lambda: drive(studio) == 8)


def test_without_hot_reload_nothing_is_taken_over(file):
    with (
        opened(file, hot_reload="plugins", name="hot", paused=True) as hot,
        studio_nb.open(
            PENDULUM,
            view=False,
            plugins=files.load(file.path),
            name="cold",
            paused=True,
        ) as cold,
    ):
        file.save(word="new", value=9.0)
        until(lambda: drive(hot) == 9)
        assert drive(cold) == 1


def test_a_saved_model_is_loaded_and_a_broken_one_is_told(tmp_path):
    part, robot = tmp_path / "part.xml", tmp_path / "robot.xml"
    body_xml = "<body name='{}'><geom size='.1'/></body>"
    text = f"<mujoco><worldbody>{body_xml}</worldbody></mujoco>"
    part.write_text(text.format("one"))
    robot.write_text("<mujoco><include file='part.xml'/></mujoco>")

    def body(studio):
        return studio.call(lambda m, _: m.body(1).name)

    with studio_nb.open(robot, view=False, hot_reload="model") as studio:
        assert body(studio) == "one"
        part.write_text(text.format("another"))
        until(lambda: body(studio) == "another")
        part.write_text("<mujoco><worldbody>")
        until(lambda: studio.errors)
        assert body(studio) == "another"
        part.write_text(text.format("mended, too"))
        until(lambda: body(studio) == "mended, too")
        assert len(studio.errors) == 1
