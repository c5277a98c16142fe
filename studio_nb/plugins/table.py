"""`studio.plugins`: the plugins of a session, how they stand, and their switches.

Made anew each time it is asked for, in a cell's thread; what it shows is read from
the records that the registries of both threads keep.
"""

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from studio_nb import registry
from studio_nb.errors import StudioError

_COLUMNS = ("name", "kind", "state", "from", "mean ms", "max ms", "handlers")


class PluginState:
    """One plugin, and how it stands.

    Attributes:
        name: By which `studio.plugins[name]` finds it.
        plugin: The plugin itself.
    """

    def __init__(self, record: registry.Record, name: str) -> None:
        """Shows what a registry knows of a plugin."""
        self._record = record
        self.name = name
        self.plugin = record.plugin

    @property
    def title(self) -> str | None:
        """Its window's title, where a function was made one."""
        made = isinstance(self.plugin, registry.Offering)
        return getattr(self.plugin, "title", None) if made else None

    def is_made_of(self, fn: object) -> bool:
        """Tells whether it is what a decorator made of a function."""
        made = isinstance(self.plugin, registry.Offering)
        return made and getattr(self.plugin, "fn", None) is fn

    @property
    def kind(self) -> str:
        """The side on which it runs: "sim" or "viewer"."""
        return self._record.kind

    @property
    def origin(self) -> str:
        """Where it came from: "In[3]", or its file."""
        return getattr(self._record.origin, "text", "")

    @property
    def state(self) -> str:
        """How it stands.

        "running"; "failing" while a handler of it raises; "off" after one raised
        three times running, or after `disable`.
        """
        return self._record.state

    @property
    def handlers(self) -> list[str]:
        """What it handles: "PreStepEvent: on_pre_step"."""
        return list(self._record.handlers)

    @property
    def error(self) -> str:
        """What it raised last, with its traceback; "" for nothing so far."""
        return self._record.error

    @property
    def mean_ms(self) -> float:
        """Milliseconds that it took in a frame, or in a turn of the sim, on average."""
        record = self._record
        total = record.seconds + record.spent
        return 1000 * total / record.frames if record.frames else 0.0

    @property
    def max_ms(self) -> float:
        """The most milliseconds that it took in one."""
        return 1000 * max(self._record.longest, self._record.spent)

    def enable(self) -> None:
        """Switches it on, also after errors: what it raised before is forgiven."""
        self._record.enable()

    def disable(self) -> None:
        """Switches it off: its handlers are not called, until `enable`."""
        self._record.disable()

    def __repr__(self) -> str:
        """Says how it stands, and what it raised last."""
        line = f"<{self.name}: {self.kind} plugin of {self.origin}, {self.state}>"
        return f"{line}\n{self.error.rstrip()}" if self.error else line


class PluginTable(Sequence[PluginState]):
    """The plugins of a session, by number or by name."""

    def __init__(self, records: Iterable[registry.Record]) -> None:
        """Lists plugins; those of one name are numbered: "Ghost", "Ghost 2"."""
        counts: dict[str, int] = {}
        self._states: list[PluginState] = []
        for record in records:
            count = counts[record.name] = counts.get(record.name, 0) + 1
            name = record.name if count == 1 else f"{record.name} {count}"
            self._states.append(PluginState(record, name))

    @overload
    def __getitem__(self, which: int | str) -> PluginState: ...

    @overload
    def __getitem__(self, which: slice) -> list[PluginState]: ...

    def __getitem__(self, which: int | str | slice) -> PluginState | list[PluginState]:
        """Returns one by its number, by its name, or a panel by its title.

        Raises:
            IndexError: If there are fewer.
            KeyError: If there is none of that name; it lists those there are.
        """
        if not isinstance(which, str):
            return self._states[which]
        for attribute in ("name", "title"):
            for state in self._states:
                if which == getattr(state, attribute):
                    return state
        names = ", ".join(state.name for state in self._states) or "none"
        msg = f"no plugin {which!r}: there are {names}"
        raise KeyError(msg)

    def __len__(self) -> int:
        """Returns how many there are."""
        return len(self._states)

    def __iter__(self) -> Iterator[PluginState]:
        """Yields them, those of the sim first."""
        return iter(self._states)

    def find(self, which: object) -> list[PluginState]:
        """Returns a plugin by itself or by name, or all that are made of a function.

        Raises:
            StudioError: If it is not there.
        """
        if isinstance(which, str):
            try:
                return [self[which]]
            except KeyError as error:
                raise StudioError(error.args[0]) from None
        found = [s for s in self._states if s.plugin is which or s.is_made_of(which)]
        if found:
            return found
        name = getattr(which, "__qualname__", type(which).__qualname__)
        msg = f"remove({name}): this session has no such plugin"
        raise StudioError(msg)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                state.name,
                state.kind,
                state.state,
                state.origin,
                f"{state.mean_ms:.3f}",
                f"{state.max_ms:.3f}",
                ", ".join(state.handlers),
            )
            for state in self._states
        ]

    def __repr__(self) -> str:
        """Returns the table as text."""
        if not self._states:
            return "no plugins"
        rows = [_COLUMNS, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """Returns the table for a notebook; the last error is each state's tooltip."""
        head = "".join(f"<th>{column}</th>" for column in _COLUMNS)
        body = "".join(
            f'<tr title="{html.escape(state.error)}">'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
            + "</tr>"
            for state, row in zip(self._states, self._rows(), strict=True)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
