"""A person's mistakes: each is one short message that names the thing."""

import math
import warnings
import zipfile
from pathlib import Path

import mujoco
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import studio_nb
from studio_nb import magics
from studio_nb.errors import StudioError
from studio_nb.spec import sources
from studio_nb.studio import Studio
from tests.unit.conftest import PENDULUM

BALL = "<mujoco model='ball'><worldbody><geom size='.1'/></worldbody></mujoco>"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test works in an empty folder, in which MuJoCo must leave no log."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


# -- loading -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("xml", "says"),
    [
        ("<mujoco><worldbody>\n<geom typ='box'/></worldbody></mujoco>",
         "the XML, line 2, element 'geom': unrecognized attribute: 'typ'"),
        ("<mujoco><worldbody><geom name='g' type='box'/></worldbody></mujoco>",
         "the XML, line 1, element 'g': size 0 must be positive in geom"),
        ("<mujoco><worldbody>", "the XML, line 1: the XML is not well-formed"),
        ("<mujoco><include file='gone.xml'/></mujoco>",
         "the XML, line 1, element 'include': Error opening file 'gone.xml'"),
        ("<mujoco><asset><mesh name='m' file='gone.obj'/></asset></mujoco>",
         "the XML: mesh 'm' needs the file 'gone.obj', which is not there"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_xml_is_named_with_its_line(xml, says):
    with pytest.raises(StudioError) as error:
        sources.load(xml)
    assert str(error.value).startswith(says)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.xml", b"", "empty.xml: empty file"),
        ("noise.xml", bytes(range(256)), "noise.xml, line"),
        ("noise.mjb", bytes(range(256)), "noise.mjb: "),
        ("noise.mjz", b"PK\3\4 and no archive", "noise.mjz: "),
        ("model.txt", b"text", "is no model: .xml, .urdf, .mjb, .mjz, .zip"),
        ("plugin.py", b"", "goes to --plugins"),
    ],
)
def test_a_file_that_is_no_model_is_named(name, content, says, folder):
    (folder / name).write_bytes(content)
    with pytest.raises(StudioError) as error:
        sources.load(name)
    assert says in str(error.value)


def test_a_file_that_is_not_there_suggests_the_one_meant(folder):
    (folder / "robot.xml").write_text(BALL)
    with pytest.raises(StudioError, match=r"robt\.xml .* did you mean robot\.xml"):
        sources.load("robt.xml")
    with pytest.raises(StudioError, match="the folder gone does not exist"):
        sources.load("gone/robot.xml")
    with pytest.raises(StudioError, match=r"is a folder.*\(robot\.xml\)"):
        sources.load(folder)


@pytest.mark.parametrize("thing", [None, 3, [], (1, 2), ("a", "b", "c"), b"<mujoco/>"])
def test_what_is_no_model_says_what_would_be(thing):
    with pytest.raises(StudioError, match="MjModel"):
        sources.load(thing)


def test_data_of_another_model_is_refused():
    one = mujoco.MjModel.from_xml_string(BALL)
    other = mujoco.MjModel.from_xml_string(PENDULUM)
    with pytest.raises(StudioError, match="does not belong"):
        sources.load((one, mujoco.MjData(other)))


def test_every_kind_of_source_opens(folder):
    spec = mujoco.MjSpec.from_string(BALL)
    model = spec.compile()
    (folder / "a.xml").write_text(BALL)
    mujoco.mj_saveModel(model, str(folder / "a.mjb"))
    (folder / "a.urdf").write_text('<robot name="r"><link name="l"/></robot>')
    for name in ("a.mjz", "a.zip"):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("a/a.xml", BALL)
    files = ["a.xml", Path("a.xml"), "a.mjb", "a.urdf", "a.mjz", "a.zip"]
    for thing in (*files, BALL, spec, model, (model, mujoco.MjData(model))):
        with studio_nb.open(thing, view=False) as studio:
            assert studio.call(lambda m, _: m.nbody) >= 1, thing


def test_what_was_given_is_copied():
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.5
    with studio_nb.open((model, data), view=False, paused=True) as studio:
        assert studio.call(lambda _, d: d.qpos[0]) == 0.5
        studio.run(0.5)
        model.opt.timestep = 99
        assert data.qpos[0] == 0.5
        assert studio.call(lambda m, _: m.opt.timestep) == 0.002


def test_what_the_compiler_warns_of_is_kept_and_printed_nowhere(capfd):
    xml = PENDULUM.replace("<worldbody>", "<worldbody><!-- -->")
    parent = mujoco.MjSpec.from_string(xml)
    child = mujoco.MjSpec.from_string("<mujoco><option timestep='.009'/></mujoco>")
    child.modelname = "child"
    child.worldbody.add_body(name="b").add_geom(size=[1, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = parent.worldbody.add_frame()
        frame.attach_body(child.body("b"), "c-", "")
    source = sources.load(parent)
    assert all("timestep" in text for text in source.warnings)
    out, err = capfd.readouterr()
    assert out == ""
    assert "WARNING" not in err or not source.warnings


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"speed": 0}, "percent of real time"),
        ({"speed": -5}, "percent of real time"),
        ({"speed": math.nan}, "percent of real time"),
        ({"speed": "fast"}, "percent of real time"),
        ({"height": 5}, "CSS pixels"),
        ({"height": "tall"}, "CSS pixels"),
        ({"key": "up"}, "no keyframe 'up': it has none"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(options, says):
    with pytest.raises(StudioError, match=says):
        studio_nb.open(BALL, view=False, **options)
    assert studio_nb.sessions() == {}


# -- the magic -----------------------------------------------------------------


@pytest.fixture
def shell():
    """An IPython shell with the extension loaded; its sessions are closed."""
    made = InteractiveShell()
    magics.load(made)
    yield made
    for studio in studio_nb.sessions().values():
        studio.close()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--bogus", "unrecognized arguments: --bogus"),
        ("--speed fast", "invalid speed"),
        ("--speed -1", "invalid speed"),
        ("--height tall", "invalid int value: 'tall'"),
        ("--name class", "--name 'class' cannot be a variable's name"),
        ("--name 1st", "--name '1st' cannot be a variable's name"),
        ('"unclosed', "check the quotes"),
        ("a.xml b.xml", "unrecognized arguments: b.xml"),
    ],
)
def test_an_unknown_option_is_told_in_a_line(shell, line, says):
    with pytest.raises(UsageError, match=says):
        shell.run_line_magic("studio", line)


def test_a_cell_and_a_file_at_once_are_too_much(shell):
    with pytest.raises(UsageError, match=r"leave 'a\.xml' out"):
        shell.run_cell_magic("studio", "a.xml", BALL)
    with pytest.raises(UsageError, match="has no MJCF"):
        shell.run_cell_magic("studio", "", "\n  \n")


def test_a_plugin_file_that_fails_is_named(shell, folder):
    (folder / "broken.py").write_text("import there_is_no_such_module")
    for name, says in (("gone.py", "not found"), ("broken.py", "no_such_module")):
        with pytest.raises(StudioError, match=says):
            shell.run_line_magic("studio", f"--plugins {name}")


def test_the_magic_opens_a_file_a_variable_or_the_cell(shell, folder):
    (folder / "my robot.xml").write_text(BALL)
    shell.user_ns["mine"] = mujoco.MjSpec.from_string(PENDULUM)
    shell.run_line_magic("studio", "'my robot.xml' --name one --paused")
    shell.run_line_magic("studio", "mine --name two --speed max --key up")
    shell.run_cell_magic("studio", "--name three", BALL)
    names = {
        name: studio.call(lambda m, _: m.names.split(b"\0")[0].decode())
        for name, studio in studio_nb.sessions().items()
    }
    assert names == {"one": "ball", "two": "pendulum", "three": "ball"}
    one, two = shell.user_ns["one"], shell.user_ns["two"]
    assert isinstance(one, Studio)
    assert one.paused
    assert two.speed == math.inf
    assert not two.paused


def test_the_magic_without_a_model_opens_the_demo(shell):
    shell.run_line_magic("studio", "")
    studio = shell.user_ns["studio"]
    assert studio.model_path.endswith("humanoid.xml")


def test_a_mistake_shows_no_traceback_through_our_code(shell, capsys):
    shell.run_cell("%studio gone.xml")
    shown = capsys.readouterr().out
    assert "gone.xml is not there" in shown
    assert "Traceback" not in shown
    assert "studio_nb/" not in shown


def test_a_name_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "latin.xml"
    path.write_bytes(
        b"<mujoco><worldbody><body name='caf\xe9'><geom size='.1'/></body></worldbody>"
        b"</mujoco>"
    )
    with pytest.raises(StudioError, match=r"caf.*not UTF-8"):
        sources.load(path)
