"""What a plugin keeps when a cell that defines it runs again.

`exchange` takes a picture of each plugin when it comes, and hands the state of
the one before over to the one that replaces it, on the thread that runs both.
"""

import contextlib
import copy
import enum
from collections.abc import Mapping
from typing import Any

import numpy as np
from mujoco.studio import hot_reload_utils

# Set by the framework, not by the plugin.
_FRAMEWORK = frozenset({"_handle", "_viewer"})

# Larger arrays are taken for buffers: their beginnings need not be remembered.
_MAX_BYTES = 1 << 20

_PLAIN = (bool, int, float, complex, str, bytes, type(None), enum.Enum, np.generic)


def picture(plugin: object) -> dict[str, Any]:
    """Returns copies of the attributes that a plugin begins with, of plain values."""
    begins = {}
    for name, value in _attributes(plugin).items():
        # A list may hold itself, and a person's dict more than its items.
        with contextlib.suppress(Exception):
            if _is_plain(value):
                begins[name] = copy.deepcopy(value)
    return begins


def carry(old: object, initial: Mapping[str, Any], new: object) -> list[str]:
    """Hands the state of one plugin over to the one that replaces it.

    An attribute goes over when the new plugin has one of the same name and type,
    and begins with it as the old one did. What begins otherwise was changed by the
    person (another gain, say) and is what is wanted now. It is Studio's rule for
    hot reloading, on the attributes that `__init__` makes.

    Args:
        old: The plugin that goes.
        initial: What `picture` told of it when it came.
        new: The one that comes, not yet started.

    Returns:
        The names of what went over.
    """
    begins = _attributes(new)
    kept = []
    for name, value in _attributes(old).items():
        if name not in begins or not _fits(value, begins[name]):
            continue
        if name in initial and not hot_reload_utils.same_default(
            initial[name], begins[name]
        ):
            continue
        # It may be frozen, or a property by now.
        with contextlib.suppress(Exception):
            setattr(new, name, value)
            kept.append(name)
    return kept


def _attributes(plugin: object) -> dict[str, Any]:
    found = getattr(plugin, "__dict__", {})
    return {name: v for name, v in found.items() if name not in _FRAMEWORK}


def _fits(old: object, new: object) -> bool:
    if type(old) is not type(new):
        return False
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return old.shape == new.shape and old.dtype == new.dtype
    return True


def _is_plain(value: object) -> bool:
    """Tells whether a value is cheap to copy and to compare."""
    if isinstance(value, np.ndarray):
        return value.nbytes <= _MAX_BYTES and not value.dtype.hasobject
    if isinstance(value, (list, tuple, set, frozenset)):
        return len(value) <= _MAX_BYTES and all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(_is_plain(k) and _is_plain(v) for k, v in value.items())
    return isinstance(value, _PLAIN)
