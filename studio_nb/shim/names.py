"""How the names of Studio's two modules are spelt in imgui-bundle.

Both bind the same C++ libraries: Studio's modules keep the C++ spelling
(`SetNextItemWidth`, `WindowFlags.NoMove`), imgui-bundle has Python's
(`set_next_item_width`, `WindowFlags_.no_move`). `dear_imgui` and `implot` build
what differs by spelling alone from here; any thread.
"""

import enum
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(text: str) -> frozenset[str]:
    """Returns the names that a text lists."""
    return frozenset(text.split())


def snake(name: str) -> str:
    """Returns Python's spelling of a C++ name: `GetItemID` is `get_item_id`."""
    return _WORD.sub("_", name).lower()


def camel(name: str) -> str:
    """Returns the C++ spelling of a Python name: `no_move` is `NoMove`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


class Constant(enum.IntEnum):
    """The base of the enumerations: integers that also combine with `|`."""

    @classmethod
    def _missing_(cls, value: object) -> "Constant | None":
        """Takes any combination of flags for a member without a name, as Studio's."""
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = "???"
        member._value_ = value
        return member

    def __str__(self) -> str:
        """Returns the text that Studio's enumerations have."""
        return f"{type(self).__name__}.{self.name}"


def constants(
    name: str,
    source: Any,  # noqa: ANN401, an enumeration of imgui-bundle
    renamed: Mapping[str, str | int],
) -> type[Constant]:
    """Builds an enumeration of Studio's from imgui-bundle's.

    Args:
        name: What it is called.
        source: imgui-bundle's.
        renamed: The members whose names follow no rule: imgui-bundle's member, or
            the value of one that it has no more.

    Returns:
        An enumeration with at least Studio's members.
    """
    theirs = source.__members__
    members = {camel(key): int(value) for key, value in theirs.items()}
    for key, value in renamed.items():
        members[key] = value if isinstance(value, int) else int(theirs[value])
    # The functional interface of enumerations has no types of its own.
    made: Any = Constant(name, members)
    return made


def unmapped(call: str, instead: str) -> Callable[..., NoReturn]:
    """Returns what stands for a function that a notebook can't have.

    Args:
        call: Its name, as people write it.
        instead: Why, and what to do instead.

    Returns:
        A function that raises NotImplementedError whenever it is called.
    """

    def refuse(*_args: object, **_names: object) -> NoReturn:
        msg = f"{call} can't be used in a notebook: {instead}"
        raise NotImplementedError(msg)

    refuse.__name__ = refuse.__qualname__ = call.rpartition(".")[2]
    return refuse


def call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    **renamed: str,
) -> Any:  # noqa: ANN401, what the function returns
    """Calls an overloaded function of imgui-bundle whose argument names differ.

    Args:
        function: imgui-bundle's.
        args: The arguments given by place.
        named: Those given by Studio's names.
        **renamed: imgui-bundle's name of each that it calls otherwise.

    Returns:
        What the function returns.
    """
    return function(*args, **{renamed.get(key, key): named[key] for key in named})


def on_first_use(
    module: str, into: dict[str, Any], make: Callable[[str], Any]
) -> Callable[[str], Any]:
    """Returns a module's `__getattr__` (PEP 562), which makes names on first use.

    Args:
        module: Its name, for the error.
        into: Its globals.
        make: Makes what a name stands for; None if there is no such name.
    """

    def get(name: str) -> Any:  # noqa: ANN401, PEP 562 hands out any object
        found = None if name.startswith("_") else make(name)
        if found is None:
            msg = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(msg)
        into[name] = found
        return found

    return get
