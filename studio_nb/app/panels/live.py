"""What of an element follows from several fields at once: velocities, contacts.

`Properties` shows it above the fields themselves, from the viewer's data of the last
frame. Viewer thread only.
"""

import dataclasses
from collections.abc import Callable, Mapping

import mujoco
import numpy as np
import numpy.typing as npt

from studio_nb.app.panels.elements import BODY, OBJ, Element

# Adding up the forces of more contacts than these would take too long for a frame.
_MOST_CONTACTS = 200

Value = str | npt.NDArray[np.float64] | list[Element]


@dataclasses.dataclass(frozen=True, slots=True)
class Live:
    """A value that is not one field.

    Attributes:
        label: Its name.
        unit: Of its numbers.
        text: What it is.
        read: Returns it: numbers, words, or elements.
    """

    label: str
    unit: str
    text: str
    read: Callable[[mujoco.MjModel, mujoco.MjData, int], Value]


def _touching(
    data: mujoco.MjData, first: int, count: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Returns the contacts of some geoms with others, and which geoms are these.

    Args:
        data: The data.
        first: The first of the geoms.
        count: How many, in a row.

    Returns:
        The numbers of the contacts, and of all contacts, shape (ncon, 2), whether each
        of the two is one of the geoms.
    """
    pairs = np.asarray(data.contact.geom).reshape(-1, 2)
    ours = (pairs >= first) & (pairs < first + count)
    return np.flatnonzero(ours[:, 0] != ours[:, 1]), ours


def contact_force(
    model: mujoco.MjModel, data: mujoco.MjData, first: int, count: int
) -> tuple[int, npt.NDArray[np.float64]]:
    """Returns how many contacts some geoms have with others, and their force.

    Args:
        model: The model.
        data: Its data.
        first: The first of the geoms.
        count: How many, in a row.

    Returns:
        The number of contacts, and the force that acts on these geoms, shape (3,), in
        newtons along the axes of the world. Of more than 200 contacts the first.
    """
    contact = data.contact
    touching, ours = _touching(data, first, count)
    total, wrench = np.zeros(3), np.zeros(6)
    for i in touching[:_MOST_CONTACTS].tolist():
        mujoco.mj_contactForce(model, data, i, wrench)
        # The frame's rows are its axes; the first points from the first geom to the
        # second, which the force pushes that way.
        force = contact[i].frame.reshape(3, 3).T @ wrench[:3]
        total += force if ours[i, 1] else -force
    return len(touching), total


def _velocity(*, angular: bool) -> Callable[..., Value]:
    part = slice(0, 3) if angular else slice(3, 6)

    def read(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> Value:
        found = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, OBJ.mjOBJ_XBODY, body, found, 0)
        return found[part]

    return read


def _of_body(model: mujoco.MjModel, body: int) -> tuple[int, int]:
    return int(model.body_geomadr[body]), int(model.body_geomnum[body])


def _of_geom(_: mujoco.MjModel, geom: int) -> tuple[int, int]:
    return geom, 1


def _contacts(geoms: Callable[..., tuple[int, int]]) -> tuple[Live, Live]:
    def number(model: mujoco.MjModel, data: mujoco.MjData, element: int) -> Value:
        return str(len(_touching(data, *geoms(model, element))[0]))

    def force(model: mujoco.MjModel, data: mujoco.MjData, element: int) -> Value:
        return contact_force(model, data, *geoms(model, element))[1]

    return (
        Live("contacts", "", "With geoms of other bodies.", number),
        Live("contact force", "N", "The sum of all contacts, in the world.", force),
    )


def _children(model: mujoco.MjModel, _: mujoco.MjData, body: int) -> Value:
    found = np.flatnonzero(model.body_parentid == body).tolist()
    return [Element(BODY.obj, child) for child in found if child]


def _excluded(model: mujoco.MjModel, _: mujoco.MjData, exclude: int) -> Value:
    # "body1 << 16 + body2" (mjmodel.h).
    signature = int(model.exclude_signature[exclude])
    return [Element(BODY.obj, signature >> 16), Element(BODY.obj, signature & 0xFFFF)]


def _text(model: mujoco.MjModel, _: mujoco.MjData, text: int) -> Value:
    start = int(model.text_adr[text])
    characters = model.text_data[start : start + int(model.text_size[text])]
    return characters.rstrip(b"\0").decode(errors="replace")


OF_KIND: Mapping[int, tuple[Live, ...]] = {
    int(OBJ.mjOBJ_BODY): (
        Live("velocity", "m/s", "Of the frame's origin.", _velocity(angular=False)),
        Live("angular velocity", "rad/s", "In the world.", _velocity(angular=True)),
        *_contacts(_of_body),
        Live("children", "", "The bodies that are directly in it.", _children),
    ),
    int(OBJ.mjOBJ_GEOM): _contacts(_of_geom),
    int(OBJ.mjOBJ_EXCLUDE): (
        Live("bodies", "", "The two that never touch.", _excluded),
    ),
    int(OBJ.mjOBJ_TEXT): (Live("text", "", "What it says.", _text),),
}
