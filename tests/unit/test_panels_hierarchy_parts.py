"""The tree's rows, and the fields that are said to be about an element."""

import mujoco
import numpy as np
import pytest

from studio_nb.app.panels import attributes, elements, live, units
from studio_nb.app.panels.elements import GROUPS, KINDS, OF_BODIES, Element
from studio_nb.app.panels.tree import HEAD, Tree

OBJ = mujoco.mjtObj
BODY, JOINT, GEOM = (int(o) for o in (OBJ.mjOBJ_BODY, OBJ.mjOBJ_JOINT, OBJ.mjOBJ_GEOM))

# One of every kind that XML alone can make.
ZOO = """
<mujoco>
  <custom>
    <numeric name="gains" data="1 2 3"/><text name="note" data="as built"/>
    <tuple name="pair"><element objtype="body" objname="arm" prm=".5"/>
      <element objtype="geom" objname="bone"/></tuple>
  </custom>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="8" height="4"/>
    <material name="steel" texture="grid"/>
    <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"/>
    <mesh name="spike" vertex="0 0 0 2 0 0 0 2 0 0 0 2"/>
    <hfield name="hill" nrow="3" ncol="2" size="1 1 1 1" elevation="0 1 2 3 4 5"/>
  </asset>
  <worldbody>
    <site name="hook" pos="0 0 2"/><light name="sun" pos="0 0 4"/>
    <camera name="eye" pos="0 -3 1"/>
    <geom name="ground" type="hfield" hfield="hill" pos="0 0 -5"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" damping=".5"/>
      <geom name="bone" size=".1" fromto="0 0 0 1 0 0" type="capsule" material="steel"/>
      <site name="tip" pos="1 0 0"/>
      <body name="hand" pos="1 0 0"><joint name="slide" type="slide"/>
        <geom name="nail" type="mesh" mesh="spike"/></body>
    </body>
    <body name="free" pos="0 3 0"><freejoint name="root"/><geom size=".1"/></body>
    <body name="target" mocap="true" pos="0 0 3"/>
    <flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2"
              mass="1" pos="0 9 0"/>
  </worldbody>
  <contact><pair geom1="bone" geom2="ground"/>
    <exclude name="no" body1="hand" body2="free"/></contact>
  <tendon><spatial name="rope"><site site="hook"/><site site="tip"/></spatial></tendon>
  <equality><weld name="glue" body1="hand" body2="free" active="false"/></equality>
  <actuator><motor name="lift" joint="elbow"/>
    <general name="pull" tendon="rope" dyntype="integrator"/></actuator>
  <sensor><jointpos name="angle" joint="slide"/>
    <framepos name="place" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="home"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def zoo():
    model = mujoco.MjModel.from_xml_string(ZOO)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def outline(tree: Tree) -> list[str]:
    return ["." * int(tree.depth[n]) + tree.title(n) for n in tree.rows.tolist()]


def walked(model: mujoco.MjModel, body: int = 0, depth: int = 0) -> list[str]:
    """The body tree by recursion, slowly."""
    lines = ["." * depth + elements.title(model, Element(BODY, body))]
    for kind in OF_BODIES:
        owners = getattr(model, kind.bodies)
        lines += [
            "." * (depth + 1) + elements.title(model, Element(kind.obj, int(i)))
            for i in np.flatnonzero(owners == body)
        ]
    for child in np.flatnonzero(model.body_parentid == body).tolist():
        lines += walked(model, child, depth + 1) if child else []
    return lines


def test_the_tree_is_that_of_the_bodies(zoo):
    tree = Tree(zoo[0])
    tree.open_all()
    expected = walked(zoo[0])
    assert outline(tree)[: len(expected)] == expected


@pytest.mark.parametrize("kind", [*KINDS.values()], ids=lambda kind: kind.word)
def test_every_element_has_one_node(zoo, kind):
    tree = Tree(zoo[0])
    nodes = [
        tree.node(Element(kind.obj, i)) for i in range(elements.count(zoo[0], kind.obj))
    ]
    assert len({*nodes, -1}) == len(nodes) + 1
    assert [tree.element(node) for node in nodes] == [
        Element(kind.obj, i) for i in range(len(nodes))
    ]


def test_kinds_that_a_model_lacks_have_no_group(zoo):
    tree = Tree(zoo[0])
    heads = {tree.element(n).obj for n in tree.rows if tree.element(n).id == HEAD}
    assert heads == {k.obj for k in GROUPS if elements.count(zoo[0], k.obj)}


def test_what_is_below_a_closed_node_is_hidden_whatever_is_open_there(zoo):
    tree = Tree(zoo[0])
    tree.open_all()
    arm = tree.node(Element(BODY, 1))
    whole = outline(tree)
    tree.open(arm, is_open=False)
    assert [line.strip(".") for line in outline(tree)] == [
        line.strip(".")
        for node, line in zip(range(len(tree)), whole, strict=True)
        if not arm < node < tree.end[arm]
    ]
    tree.open(arm)
    assert outline(tree) == whole


def test_a_search_finds_by_all_words_kind_and_number(zoo):
    tree = Tree(zoo[0])
    before = outline(tree)
    for query, found in (
        ("el bo", ["world", ".arm", "..elbow"]),
        ("type:mesh", ["Meshes", ".wedge", ".spike"]),
        ("type:mesh type:key e", ["Keyframes", ".home", "Meshes", ".wedge", ".spike"]),
        ("type:geom id:1", ["world", ".arm", "..bone"]),
        ("type:nothing", []),
        ("id:x", []),
    ):
        tree.search(query)
        assert outline(tree) == found, query
    tree.search("")
    assert outline(tree) == before


def test_an_element_that_is_not_there_has_no_node(zoo):
    tree = Tree(zoo[0])
    for gone in (Element(BODY, 99), Element(BODY, -1), Element(-5, 0)):
        assert tree.node(gone) == -1
        assert not elements.exists(zoo[0], gone)


@pytest.mark.parametrize("kind", [*KINDS.values()], ids=lambda kind: kind.word)
def test_every_field_of_a_kind_is_listed(zoo, kind):
    model = zoo[0]
    named = {
        name
        for name in dir(model)
        if name.startswith(kind.prefix) and isinstance(getattr(model, name), np.ndarray)
    }
    assert named <= {attribute.name for attribute in attributes.of_kind(kind.obj)}


@pytest.mark.parametrize("root", ["model", "data"])
def test_every_row_that_is_shown_is_there_and_is_one_element_s(zoo, root):
    model, data = zoo
    for obj in KINDS:
        for attribute in attributes.of_kind(obj):
            if attribute.root != root or attribute.rows is None:
                continue
            array = getattr(model if root == "model" else data, attribute.name, None)
            if not isinstance(array, np.ndarray):
                continue
            taken: list[int] = []
            for i in range(elements.count(model, obj)):
                where = attribute.rows(model, i)
                taken += range(where.start, where.stop)
            assert len(set(taken)) == len(taken), attribute.name
            assert all(0 <= row < len(array) for row in taken), attribute.name


def test_the_rows_of_parts_are_the_element_s_own(zoo):
    model = zoo[0]
    spike = mujoco.mj_name2id(model, OBJ.mjOBJ_MESH, "spike")
    found = {a.name: a for a in attributes.of_kind(int(OBJ.mjOBJ_MESH))}
    rows = found["mesh_vert"].rows
    assert rows is not None
    where = rows(model, spike)
    assert where == slice(5, 9)
    assert found["mesh_vert"].expression(model, spike) == "model.mesh_vert[5:9]"
    assert found["mesh_pos"].expression(model, spike) == f"model.mesh_pos[{spike}]"


@pytest.mark.parametrize(
    ("kind", "name", "field", "target"),
    [
        ("geom", "bone", "geom_matid", "steel"),
        ("geom", "nail", "geom_dataid", "spike"),
        ("geom", "ground", "geom_dataid", "hill"),
        ("geom", "bone", "geom_bodyid", "arm"),
        ("material", "steel", "mat_texid", "grid"),
        ("equality", "glue", "eq_obj1id", "hand"),
        ("actuator", "lift", "actuator_trnid", "elbow"),
        ("actuator", "pull", "actuator_trnid", "rope"),
        ("sensor", "angle", "sensor_objid", "slide"),
        ("sensor", "place", "sensor_objid", "tip"),
        ("tendon", "rope", "wrap_objid", "hook"),
        ("tuple", "pair", "tuple_objid", "arm"),
        ("body", "hand", "body_parentid", "arm"),
    ],
)
def test_ids_lead_to_what_they_mean(zoo, kind, name, field, target):
    model = zoo[0]
    obj = next(k.obj for k in KINDS.values() if k.word == kind)
    element = mujoco.mj_name2id(model, obj, name)
    attribute = next(a for a in attributes.of_kind(obj) if a.name == field)
    assert attribute.rows is not None
    row = attribute.rows(model, element).start
    found = attributes.refers(attribute, model, element, row)
    assert found is not None
    number = int(np.max(getattr(model, field)[row]))
    assert elements.title(model, Element(found, number)) == target


def test_enums_are_words(zoo):
    model = zoo[0]
    words = {kind: elements.type_of(model, Element(kind, 0)) for kind in (GEOM, JOINT)}
    assert words == {GEOM: "hfield", JOINT: "hinge"}
    for kind in KINDS.values():
        assert not kind.type or elements.declared("mjModel")[kind.type].enum


def test_units_follow_the_kind_of_joint(zoo):
    model = zoo[0]
    joints = {model.joint(i).name: i for i in range(model.njnt)}
    found = {name: units.unit_of(model, "qpos", i) for name, i in joints.items()}
    assert (found["elbow"], found["slide"], found["root"]) == ("rad", "m", "")


def test_units_are_of_fields_that_exist():
    known = {*elements.declared("mjModel"), *elements.declared("mjData")}
    assert {*units._UNITS, *units._BY_JOINT} <= known


def test_a_ball_that_rests_is_held_by_its_weight():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='2 2 .1'/>"
        "<body pos='0 0 .1'><freejoint/><geom size='.1' mass='2'/></body>"
        "</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    mujoco.mj_forward(model, data)
    weight = -model.opt.gravity[2] * 2
    for geom, sign in ((1, 1), (0, -1)):
        number, force = live.contact_force(model, data, geom, 1)
        assert number == 1
        assert force == pytest.approx([0, 0, sign * weight], rel=1e-3, abs=1e-6)
    assert live.contact_force(model, data, 0, 2)[0] == 0


def test_the_velocity_of_a_body_is_that_of_its_frame(zoo):
    model, _ = zoo
    fresh = mujoco.MjData(model)
    root = model.joint("root").dofadr[0]
    fresh.qvel[root : root + 3] = 1, 2, 3
    mujoco.mj_forward(model, fresh)
    body = model.body("free").id
    values = {each.label: each.read for each in live.OF_KIND[BODY]}
    assert values["velocity"](model, fresh, body) == pytest.approx([1, 2, 3])


def test_texts_and_excluded_bodies_can_be_read(zoo):
    model, data = zoo
    text = live.OF_KIND[int(OBJ.mjOBJ_TEXT)][0].read(model, data, 0)
    assert text == "as built"
    bodies = live.OF_KIND[int(OBJ.mjOBJ_EXCLUDE)][0].read(model, data, 0)
    assert isinstance(bodies, list)
    assert {elements.title(model, each) for each in bodies} == {"hand", "free"}
