"""The section Physics of the Options: every field of mjOption.

A change is the viewer's at once, and is sent to the simulation as Studio's
`MjOptionSnapshot`. Viewer thread only.
"""

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

import mujoco
from mujoco.studio import messages

from studio_nb.app.panel import Panel, Scope
from studio_nb.app.panels import posing, structs
from studio_nb.app.panels.posing import Posing
from studio_nb.app.panels.structs import Field, Line, Toggle

# What an iteration count can be dragged to; MuJoCo has no bound.
_MOST_ITERATIONS = 1000
# A step of no length is refused by mj_step, one much longer blows up at once.
_LEAST_TIMESTEP_S, _MOST_TIMESTEP_S = 1e-6, 1.0
# The gain of a scaled regularisation must not vanish (XML reference, impratio).
_LEAST_RATIO = 1e-3

_SQUARED = "\N{SUPERSCRIPT TWO}"
_CUBED = "\N{SUPERSCRIPT THREE}"


def _iterations(tip: str, low: int = 0) -> Field:
    return Field(tip, low=low, high=_MOST_ITERATIONS)


def _tolerance(tip: str) -> Field:
    return Field(tip, low=0.0, high=1.0)


def _enum(enum: type, prefix: str) -> tuple[str, ...]:
    return tuple(name.lower() for name, _ in structs.flags(enum, prefix))


# The fields of mjOption (mjmodel.h) by what they are about.
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "Integration": {
        "timestep": Field(
            "Simulated time of a physics step.",
            "s",
            _LEAST_TIMESTEP_S,
            _MOST_TIMESTEP_S,
        ),
        "integrator": Field(
            "How velocities and positions are advanced.",
            choices=_enum(mujoco.mjtIntegrator, "mjINT_"),
        ),
        "sleep_tolerance": Field(
            "Below this speed a tree may fall asleep, where sleeping is enabled.",
            low=0.0,
            high=1.0,
        ),
    },
    "Solver": {
        "solver": Field(
            "Algorithm of the constraint solver.",
            choices=_enum(mujoco.mjtSolver, "mjSOL_"),
        ),
        "cone": Field(
            "Shape of the friction cone.", choices=_enum(mujoco.mjtCone, "mjCONE_")
        ),
        "jacobian": Field(
            "How constraint Jacobians are stored; auto chooses by size.",
            choices=_enum(mujoco.mjtJacobian, "mjJAC_"),
        ),
        "iterations": _iterations("Most iterations of the solver."),
        "tolerance": _tolerance("The solver stops when it improves by less."),
        "ls_iterations": _iterations("Most steps of CG's and Newton's line search."),
        "ls_tolerance": _tolerance("Line search stops at this relative slope."),
        "noslip_iterations": _iterations("Most iterations of the noslip solver."),
        "noslip_tolerance": _tolerance("Noslip stops when it improves by less."),
        "impratio": Field(
            "Friction's impedance by that of the normal direction: more slips less.",
            low=_LEAST_RATIO,
        ),
    },
    "Collision": {
        "ccd_iterations": _iterations("Most iterations of convex collision.", 1),
        "ccd_tolerance": _tolerance("Convex collision stops at this accuracy."),
        "sdf_iterations": _iterations("Most descents of an SDF collision.", 1),
        "sdf_initpoints": _iterations("Points where an SDF collision starts.", 1),
    },
    "Environment": {
        "gravity": Field("Acceleration by gravity.", f"m/s{_SQUARED}"),
        "wind": Field("Velocity of the medium.", "m/s"),
        "magnetic": Field("Magnetic flux, which magnetometers measure."),
        "density": Field("Density of the medium.", f"kg/m{_CUBED}", 0.0),
        "viscosity": Field("Viscosity of the medium.", "Pa\N{MIDDLE DOT}s", 0.0),
    },
    # Parameters by their names in the XML reference, "Solver parameters".
    "Contact override": {
        "o_margin": Field("Distance at which contacts begin, for all.", "m", 0.0),
        "o_solref": Field(
            "Time constant (s) and damping ratio of contacts, for all; or, when "
            "negative, stiffness and damping."
        ),
        "o_solimp": Field(
            "Impedance of contacts, for all.",
            low=0.0,
            parts=("dmin", "dmax", "width", "midpoint", "power"),
        ),
        "o_friction": Field(
            "Friction of contacts, for all.",
            low=0.0,
            parts=("slide 1", "slide 2", "spin", "roll 1", "roll 2"),
        ),
    },
}
# Those that are shown bit by bit.
BITS = ("disableflags", "enableflags", "disableactuator")
UNKNOWN = "Other fields"

_TIPS = {
    "constraint": "All constraints.",
    "equality": "Equality constraints.",
    "frictionloss": "Friction of joints and tendons.",
    "limit": "Limits of joints and tendons.",
    "contact": "Contacts.",
    "spring": "Springs of joints and tendons.",
    "damper": "Dampers of joints and tendons.",
    "gravity": "Gravity.",
    "clampctrl": "Controls are kept within their ranges.",
    "warmstart": "The solver starts from the last step's solution.",
    "filterparent": "A body does not collide with its parent.",
    "actuation": "Actuators exert forces.",
    "refsafe": "Constraints are kept softer than two time steps.",
    "sensor": "Sensors are computed.",
    "midphase": "Collision within bodies is narrowed by bounding volumes.",
    "eulerdamp": "Euler integrates damping implicitly.",
    "autoreset": "A simulation that becomes unstable is reset.",
    "nativeccd": "MuJoCo's own convex collision, not libccd.",
    "island": "Constraints are solved by islands.",
    "multiccd": "Several contacts a pair of convex geoms.",
    "override": "Contacts take the parameters of the group Contact override.",
    "energy": "Energies are computed.",
    "fwdinv": "Forward and inverse dynamics are compared.",
    "invdiscrete": "Inverse dynamics of discrete time.",
    "sleep": "What rests falls asleep and costs little.",
}


def _bit_of(value: int) -> int:
    return value.bit_length() - 1


def _boxes(enum: type, prefix: str, field: str, means: str) -> tuple[Toggle, ...]:
    """Returns a box for each bit of a field.

    Args:
        enum: Of the bits.
        prefix: Of the enum's names.
        field: The field's name.
        means: What a checked box means for the bit.
    """
    return tuple(
        Toggle(
            _bit_of(value),
            name.lower(),
            f"{_TIPS.get(name.lower(), '')}\n{prefix}{name}: {means} {field}.".strip(),
        )
        for name, value in structs.flags(enum, prefix)
    )


FEATURES = _boxes(
    mujoco.mjtDisableBit, "mjDSBL_", "disableflags", "unchecked, its bit is set in"
)
EXTRAS = _boxes(
    mujoco.mjtEnableBit, "mjENBL_", "enableflags", "checked, its bit is set in"
)
# mj_step refuses this one with any other integrator (mj_checkDiscrete).
_OF_DISCRETE = mujoco.mjtEnableBit.mjENBL_IPC
_DISCRETE = mujoco.mjtIntegrator.mjINT_DISCRETE
EXTRAS_NOT_DISCRETE = tuple(
    dataclasses.replace(box, why_not="Choose the integrator discrete before.")
    if box.index == _bit_of(int(_OF_DISCRETE))
    else box
    for box in EXTRAS
)
POSING = (
    Toggle(
        0,
        "viscous posing mode",
        "Bodies stay where they are dragged: gravity and spring off, viscosity "
        f"{posing.VISCOSITY:g} Pa\N{MIDDLE DOT}s more.",
    ),
)
# disableactuator is an int whose bits are groups, of which mjNGROUP can be shown.
ACTUATORS = tuple(
    Toggle(group, str(group), f"Actuators of group {group}.")
    for group in range(mujoco.mjNGROUP)
)


class Physics(Panel):
    """The section."""

    title = "Physics"

    def __init__(self) -> None:
        """Starts with what is changed most unfolded."""
        self._folds = structs.Folds("Integration", "Solver", "Environment", "Posing")
        self._posing = Posing()
        self._groups: dict[str, tuple[Line, ...]] | None = None

    def on_model(self, scope: Scope) -> None:
        """Looks at the fields again."""
        del scope
        self._groups = None
        self._posing = Posing()

    def keeps(self) -> dict[str, Any]:
        """Returns what is unfolded."""
        return self._folds.keeps()

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over what was unfolded."""
        self._folds.restore(kept)

    def draw(self, scope: Scope) -> None:
        """Draws all fields in groups."""
        opt = scope.model.opt
        if self._groups is None:
            self._groups = groups(opt)
        self._folds.search()
        changed = False
        for title, lines in self._groups.items():
            name = self._folds.edit(title, opt, lines)
            if name == "integrator" and opt.integrator != _DISCRETE:
                opt.enableflags &= ~int(_OF_DISCRETE)
            changed |= name is not None
        pressed = self._folds.toggles("Posing", POSING, lambda _: posing.is_on(opt))
        if pressed is not None:
            self._posing.flip(opt)
            changed = True
        changed |= self._flip("Features", FEATURES, opt, "disableflags", unset=True)
        changed |= self._flip("Extras", _extras(opt), opt, "enableflags")
        changed |= self._flip(
            "Actuator groups", ACTUATORS, opt, "disableactuator", unset=True
        )
        if changed:
            message = messages.MjOptionSnapshot(opt=copy.deepcopy(opt))
            scope.viewer.send_to_sim(message)

    def _flip(
        self,
        title: str,
        boxes: tuple[Toggle, ...],
        opt: mujoco.MjOption,
        field: str,
        *,
        unset: bool = False,
    ) -> bool:
        """Draws the bits of a field as boxes, and sets what the person changes.

        Args:
            title: Of the group.
            boxes: The bits.
            opt: Whose field.
            field: Its name.
            unset: Whether a box is checked when its bit is not set.

        Returns:
            Whether it was changed.
        """
        bits = getattr(opt, field)
        shown = ~bits if unset else bits
        pressed = self._folds.toggles(title, boxes, lambda bit: shown >> bit & 1)
        if pressed is None:
            return False
        setattr(opt, field, bits ^ (1 << pressed))
        return True


def _extras(opt: mujoco.MjOption) -> tuple[Toggle, ...]:
    """Returns the boxes of what can be enabled; what is on can be switched off."""
    free = opt.integrator == _DISCRETE or opt.enableflags & _OF_DISCRETE
    return EXTRAS if free else EXTRAS_NOT_DISCRETE


def groups(opt: mujoco.MjOption) -> dict[str, tuple[Line, ...]]:
    """Returns the rows of all fields but those of bits, by the titles of groups."""
    known = {title: structs.lines(opt, fields) for title, fields in FIELDS.items()}
    all_known = {name for fields in FIELDS.values() for name in fields}
    return {**known, UNKNOWN: structs.others(opt, all_known.union(BITS))}
