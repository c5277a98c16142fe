"""Plugins that come, replace others and go, in one host while it runs.

`Session` calls this on the thread of the host, outside any handler: either all
of what is asked for happens, or nothing.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from mujoco.studio import messages

from studio_nb import registry
from studio_nb.errors import StudioError
from studio_nb.plugins import carrying
from studio_nb.plugins.forms import FunctionPlugin
from studio_nb.plugins.origin import Origin


class Host(Protocol):
    """Who runs plugins: a `SimHandle` or a `NotebookViewer`."""

    @property
    def plugins(self) -> registry.GuardedRegistry:
        """The plugins that it runs."""
        ...

    def greet(self, new: Any, /) -> None:  # noqa: ANN401 - a plugin of its side
        """Hands itself to a plugin; what that raises goes on."""

    def introduce(self, new: Any, /) -> None:  # noqa: ANN401 - a plugin of its side
        """Hands the current model to a plugin that is registered."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One plugin that came.

    Attributes:
        record: What is known of it.
        replaced: What was known of the one whose place it took, or None.
        kept: The names of the attributes that it took over.
        notes: What else the person should know.
    """

    record: registry.Record
    replaced: registry.Record | None = None
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Says in a line what happened."""
        said = [f"{self.record.name}: added to the {self.record.kind}"]
        if self.replaced is not None:
            before = getattr(self.replaced.origin, "text", "")
            of = f" of {before}" if before else ""
            said = [f"{self.record.name}: replaced the one{of}"]
        if self.kept:
            said.append(f"kept {', '.join(self.kept)}")
        return "; ".join([*said, *self.notes])


def come(host: Host, news: Sequence[object], origin: Origin) -> list[Change]:
    """Adds plugins to a host, or replaces those that they stand for.

    A new one gets the init event and the current model, as all do at the start. One
    that replaces another takes its state over first, and gets a `HotReloadEvent` in
    the end; the other is let go without an `ExitEvent`, for what it holds is in use.

    Args:
        host: Whose plugins they shall be.
        news: The plugins.
        origin: Where they come from.

    Returns:
        What happened, in the order of `news`.

    Raises:
        StudioError: If one of them is there already, or its handler of the init
            event raises; then none was added.
    """
    done: list[Change] = []
    try:
        for new in news:
            # Those that come together do not stand for each other.
            others = {id(change.record) for change in done}
            there = [r for r in host.plugins.records if id(r) not in others]
            done.append(_come(host, new, origin, find(there, new, origin)))
    except BaseException:
        undo(host, done)
        raise
    for change in done:
        if change.replaced is not None:
            event = messages.HotReloadEvent(plugins=(change.record.plugin,))
            host.plugins.dispatch(event)
    return done


def undo(host: Host, done: Iterable[Change]) -> None:
    """Takes back what `come` did."""
    for change in reversed([*done]):
        new, old = change.record.plugin, change.replaced
        if old is None:
            host.plugins.dismiss(new)
        else:
            back = host.plugins.replace(new, old.plugin, old.origin)
            back.initial = old.initial


def _come(
    host: Host, new: object, origin: Origin, old: registry.Record | None
) -> Change:
    plugins = host.plugins
    if any(each is new for each in plugins.plugins):
        msg = f"add({type(new).__qualname__}): this instance is there already"
        raise StudioError(msg)
    initial = carrying.picture(new)
    kept = _carry(old, new) if old else []
    try:
        host.greet(new)
    except Exception as error:
        name = registry.Record(new).name
        msg = f"{name} could not start: {registry.describe(error)}"
        raise StudioError(msg) from error
    if old is None:
        record = plugins.add(new, origin)
    else:
        record = plugins.replace(old.plugin, new, origin)
    record.initial = initial
    host.introduce(new)
    return Change(record, old, tuple(kept))


def _carry(old: registry.Record, new: object) -> list[str]:
    """Hands the state over; returns the names of what went."""
    if isinstance(new, FunctionPlugin):
        # All but a little of it is what the function says, which counts anew.
        return new.take_over(old.plugin)
    return carrying.carry(old.plugin, old.initial, new)


def find(
    records: Iterable[registry.Record], new: object, origin: Origin
) -> registry.Record | None:
    """Returns the plugin in whose place another shall come, or None.

    It is one of the person's: of a class of the same name that was defined again,
    or of this very class, added by an earlier run of the same cell. What was made
    of a function tells itself by its `identity`, a set of which one match suffices;
    what several decorators make of one function stand beside each other.
    """
    found = [r for r in records if not r.own and _stands_for(new, origin, r)]
    form = getattr(new, "form", None)
    same = (r for r in found if getattr(r.plugin, "form", None) == form)
    return next(same, found[0] if found else None)


def _stands_for(new: object, origin: Origin, record: registry.Record) -> bool:
    other = record.plugin
    if isinstance(new, FunctionPlugin) and isinstance(other, FunctionPlugin):
        beside = new.fn is other.fn and new.form != other.form
        return bool(new.identity & other.identity) and not beside
    if isinstance(new, FunctionPlugin) or isinstance(other, FunctionPlugin):
        return False
    kind, before = type(new), type(other)
    name = (kind.__module__, kind.__qualname__)
    if name != (before.__module__, before.__qualname__):
        return False
    # A function may make many classes of the same name.
    if kind is before or "<locals>" in kind.__qualname__:
        return origin.is_rerun_of(record.origin)
    return True
