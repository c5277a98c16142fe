"""The person's plugins of one session, on both of its sides.

`Session` makes one, and lends it the way to its threads. Cells' threads add, remove
and list plugins; the threads say when they begin.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from mujoco.studio import plugin

from studio_nb.errors import StudioError
from studio_nb.plugins import carrying, exchange, origin, reloading
from studio_nb.plugins.exchange import Change, Host
from studio_nb.plugins.forms import FunctionPlugin
from studio_nb.plugins.table import PluginTable

if TYPE_CHECKING:
    from studio_nb import registry

logger = logging.getLogger(__name__)

SIM, VIEWER = "sim", "viewer"

# What a handler of the session's may do with one of its hosts, and where.
Task = Callable[[Host], Any]


class Ways(Protocol):
    """The ways to a session's hosts."""

    def reach(self, side: str, task: Task, /) -> Any:  # noqa: ANN401 - the task's
        """Runs a task on the thread of a host, and waits for it.

        Raises:
            StudioError: If the session has no such side, or is closed.
        """

    def host(self, side: str, /) -> Host | None:
        """Returns a host, to be read alone; None if there is none."""


class Added(tuple[Change, ...]):
    """What adding plugins did; at the end of a cell it says so."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns a line for each plugin."""
        return "\n".join(map(str, self))


class Manager:
    """Adds, replaces, removes and lists plugins."""

    def __init__(
        self,
        ways: Ways,
        report: reloading.Report,
        plugins: Iterable[plugin.Plugin],
        origins: Mapping[int, origin.Origin],
        hot_reload: str = "",
    ) -> None:
        """Takes note of the plugins that a session starts with.

        Args:
            ways: To the hosts.
            report: Called with a level and a line for the person.
            plugins: What the hosts will begin with.
            origins: Where each of them came from, by its `id`.
            hot_reload: What to reload when it is saved, see `reloading.parse`.

        Raises:
            StudioError: If that is nothing that could be reloaded.
        """
        self._ways = ways
        self._report = report
        self._origins = origins
        self._first = {id(each): carrying.picture(each) for each in plugins}
        self._here = origin.here()
        options = reloading.parse(hot_reload)
        wanted = options.plugins or options.model
        self._hot = reloading.HotReload(options, report) if wanted else None

    def begin(self, host: Any) -> None:  # noqa: ANN401 - a SimHandle or NotebookViewer
        """Labels what a host began with, and has it reload. The host's thread."""
        for record in host.plugins.records:
            if not record.own:
                key = id(record.plugin)
                record.origin = self._origins.get(key, self._here)
                record.initial = self._first.get(key, {})
        if self._hot is not None:
            hot = self._hot
            # Now, too: what is saved from here on counts.
            hot.tick(host)
            host.before_turn.append(lambda: hot.tick(host))
            if host is self._ways.host(SIM):
                host.before_turn.append(lambda: hot.tick_model(host))

    def end(self) -> None:
        """Lets go of the plugins: the session is over."""
        if self._hot is not None:
            self._hot.end()
        self._hot = None
        self._first = {}

    def add(self, *plugins: plugin.Plugin) -> Added:
        """Adds plugins, or replaces those that they stand for; all, or none.

        Returns:
            What happened to each.

        Raises:
            TypeError: If one is no instance of a plugin class.
            StudioError: If one is there already, cannot start, or is for the view and
                there is none.
        """
        viewer_plugins, sim_plugins = plugin.split_plugins(plugins)
        here = origin.here()
        done: list[tuple[str, list[Change]]] = []
        try:
            for side, news in ((VIEWER, viewer_plugins), (SIM, sim_plugins)):
                if news:
                    done.append((side, self._come(side, news, here)))
        except BaseException:
            for side, changes in done:
                self._ways.reach(side, lambda host, c=changes: exchange.undo(host, c))
            raise
        made = {id(c.record.plugin): c for _, changes in done for c in changes}
        added = Added(self._settle(made[id(each)], here) for each in plugins)
        for change in added:
            logger.info("%s", change)
            if change.replaced is not None or change.notes:
                self._report("info", str(change))
        return added

    def _come(
        self, side: str, news: Sequence[object], here: origin.Origin
    ) -> list[Change]:
        def come(host: Host) -> list[Change]:
            changes = exchange.come(host, news, here)
            if self._hot is not None:
                self._hot.renew(host)
            return changes

        return self._ways.reach(side, come)

    def _settle(self, change: Change, here: origin.Origin) -> Change:
        """Ends what a new plugin stands for on the other side, and tells of clashes."""
        new, notes = change.record.plugin, list(change.notes)
        other = VIEWER if change.record.kind == SIM else SIM
        host = self._ways.host(other)
        if host is not None and isinstance(new, FunctionPlugin):
            old = exchange.find(host.plugins.records, new, here)
            if old is not None:
                self._ways.reach(other, lambda host: host.plugins.dismiss(old.plugin))
                notes.append(f"it was on the side {other!r} before")
        taken = getattr(new, "instead_of", "")
        if taken and change.replaced is None:
            notes.append(f"its keys were the app's for: {taken}")
        return Change(change.record, change.replaced, change.kept, tuple(notes))

    def remove(self, *which: object) -> None:
        """Removes plugins, given themselves, by name, or by the function in them.

        Raises:
            StudioError: If one is not there; then none was removed.
        """
        table = self.table()
        for state in dict.fromkeys(s for each in which for s in table.find(each)):
            name, old = state.name, state.plugin
            try:
                self._ways.reach(
                    state.kind, lambda host, old=old: host.plugins.dismiss(old)
                )
            except ValueError:
                msg = f"remove({name}): it was removed meanwhile"
                raise StudioError(msg) from None

    def table(self) -> PluginTable:
        """Returns the person's plugins: those of the sim, then those of the view."""
        hosts = [self._ways.host(side) for side in (SIM, VIEWER)]
        known: list[registry.Record] = [
            record for host in hosts if host for record in host.plugins.records
        ]
        return PluginTable(record for record in known if not record.own)
