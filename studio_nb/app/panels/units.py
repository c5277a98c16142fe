"""The units of the fields of mjModel and mjData, as MuJoCo's XML reference has them.

MuJoCo has no units of its own; these are the ones that its default gravity means.
What is not listed has none, or one that depends on more than the kind of joint.
"""

from collections.abc import Mapping
from types import MappingProxyType

import mujoco

_DOT, _SQUARED = "\N{MIDDLE DOT}", "\N{SUPERSCRIPT TWO}"

_FIELDS = {
    "m": (
        "body_pos body_ipos body_margin geom_pos geom_size geom_aabb geom_rbound "
        "geom_margin geom_gap site_pos site_size cam_pos cam_pos0 cam_poscom0 cam_ipd "
        "cam_sensorsize light_pos light_pos0 light_poscom0 light_bulbradius "
        "light_range jnt_pos jnt_margin mesh_pos mesh_vert hfield_size flex_vert "
        "flex_vert0 flex_node flex_node0 flex_radius flex_size flex_margin flex_gap "
        "skin_vert skin_inflate pair_margin pair_gap tendon_width key_mpos xpos xipos "
        "subtree_com xanchor geom_xpos site_xpos cam_xpos light_xpos mocap_pos "
        "flexvert_xpos flexedge_length actuator_cranklength dof_length "
        "skin_bonebindpos"
    ),
    "kg": "body_mass body_subtreemass",
    f"kg{_DOT}m{_SQUARED}": "body_inertia",
    "m/s": "subtree_linvel flexedge_velocity",
    f"kg{_DOT}m{_SQUARED}/s": "subtree_angmom",
    "s": "key_time actuator_delay sensor_delay sensor_interval",
    "\N{DEGREE SIGN}": "cam_fovy light_cutoff",
    "px": "cam_resolution tex_width tex_height",
}
_UNITS = {name: unit for unit, names in _FIELDS.items() for name in names.split()}

# Where it is an angle, and where it is a length.
_TURNING_AND_SLIDING = (
    (("rad", "m"), "qpos qpos0 qpos_spring jnt_range"),
    (("rad/s", "m/s"), "qvel"),
    (
        (f"rad/s{_SQUARED}", f"m/s{_SQUARED}"),
        "qacc qacc_warmstart qacc_smooth",
    ),
    (
        (f"N{_DOT}m", "N"),
        (
            "jnt_actfrcrange dof_frictionloss qfrc_applied qfrc_bias qfrc_spring "
            "qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_adhesion qfrc_passive "
            "qfrc_actuator qfrc_smooth qfrc_constraint qfrc_inverse"
        ),
    ),
    ((f"N{_DOT}m/rad", "N/m"), "jnt_stiffness"),
    ((f"N{_DOT}m{_DOT}s/rad", f"N{_DOT}s/m"), "dof_damping"),
    ((f"kg{_DOT}m{_SQUARED}", "kg"), "dof_armature"),
)
_BY_JOINT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {name: units for units, names in _TURNING_AND_SLIDING for name in names.split()}
)
# Free and ball joints mix lengths, angles and quaternions.
_PLACES = {
    int(mujoco.mjtJoint.mjJNT_HINGE): 0,
    int(mujoco.mjtJoint.mjJNT_SLIDE): 1,
}


def unit_of(model: mujoco.MjModel, field: str, element: int) -> str:
    """Returns the unit of a field's numbers; "" if there is none to name.

    Args:
        model: The model.
        field: Its name.
        element: Whose numbers: which joint, for the fields of joints.
    """
    if (pair := _BY_JOINT.get(field)) is None:
        return _UNITS.get(field, "")
    place = _PLACES.get(int(model.jnt_type[element]))
    return "" if place is None else pair[place]
