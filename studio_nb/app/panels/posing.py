"""Studio's viscous posing mode: bodies that stay where a person drags them.

The section Physics has a `Posing` and flips it. Pure changes of an `MjOption`.
"""

import mujoco

_BITS = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY | mujoco.mjtDisableBit.mjDSBL_SPRING)
# What Studio's PhysicsGui adds (kPosingViscosity), in Pa s.
VISCOSITY = 10.0


def is_on(opt: mujoco.MjOption) -> bool:
    """Tells whether gravity and springs are off, and the medium is that viscous."""
    return opt.disableflags & _BITS == _BITS and opt.viscosity >= VISCOSITY


class Posing:
    """Remembers what it changed, so that switching off undoes just that."""

    def __init__(self) -> None:
        """Starts with nothing changed."""
        self._set: int | None = None

    def flip(self, opt: mujoco.MjOption) -> None:
        """Switches on, or off again.

        What was on when it is first seen goes off as a whole.
        """
        if is_on(opt):
            opt.disableflags &= ~(_BITS if self._set is None else self._set)
            opt.viscosity = max(opt.viscosity - VISCOSITY, 0.0)
            self._set = None
        else:
            self._set = _BITS & ~opt.disableflags
            opt.disableflags |= _BITS
            opt.viscosity += VISCOSITY
