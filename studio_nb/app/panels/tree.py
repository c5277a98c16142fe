"""A model's elements as a tree: which rows there are, open, found and seen.

`Hierarchy` makes one a model and draws the rows. Nodes are numbers in the order in
which a tree that is all open lists them, so what lies below a node is a range, and
the rows that can be seen are a few operations on arrays. Knows no Dear ImGui.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

from studio_nb.app.panels import elements
from studio_nb.app.panels.elements import BODY, GROUPS, KINDS, OF_BODIES, Element

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]

# The id in the element of a group's head.
HEAD = -1


class _Nodes(NamedTuple):
    """Some nodes: the kind and number of each, the node above, and its end."""

    objs: Ints
    ids: Ints
    parents: Ints
    ends: Ints


class Tree:
    """The nodes of one model: its bodies with what they own, then the groups.

    Attributes:
        model: Whose elements these are.
        depth: How many nodes are above each.
        parent: The node above each; -1 at the top.
        end: The node after the last one below each.
        children: How many nodes are directly below each.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        """Lays out the nodes; only the world is open."""
        self.model = model
        bodies, groups = _bodies(model), _groups(model)
        first = len(bodies.ids)
        in_groups = np.where(groups.parents < 0, -1, groups.parents + first)
        self._objs = np.concatenate([bodies.objs, groups.objs])
        self._ids = np.concatenate([bodies.ids, groups.ids])
        self.parent = np.concatenate([bodies.parents, in_groups])
        self.end = np.concatenate([bodies.ends, groups.ends + first])
        self.depth = _depths(self.parent)
        above = self.parent[self.parent >= 0]
        self.children = np.bincount(above, minlength=len(self))
        self._nodes = {}
        for obj in KINDS:
            mine = np.flatnonzero((self._objs == obj) & (self._ids >= 0))
            places = np.empty(len(mine), np.intp)
            places[self._ids[mine]] = mine
            self._nodes[obj] = places
        self._open = np.zeros(len(self), np.bool_)
        self._open[0] = True
        self._open_found = self._open
        self._found: Bools | None = None
        self._query = ""
        self._titles: list[str] = []
        self._rows: Ints | None = None

    def __len__(self) -> int:
        """Returns the number of nodes."""
        return len(self._objs)

    def element(self, node: int) -> Element:
        """Returns what a node stands for; a group's head has the id `HEAD`."""
        return Element(int(self._objs[node]), int(self._ids[node]))

    def node(self, element: Element) -> int:
        """Returns an element's node; -1 if it is not in the model."""
        nodes = self._nodes.get(element.obj)
        if nodes is None or not 0 <= element.id < len(nodes):
            return -1
        return int(nodes[element.id])

    def title(self, node: int) -> str:
        """Returns a node's name, or its kind and number if it has none."""
        element = self.element(node)
        if element.id == HEAD:
            return KINDS[element.obj].title
        return elements.title(self.model, element)

    # -- what is open ----------------------------------------------------------

    @property
    def rows(self) -> Ints:
        """The nodes that can be seen, in order; do not change it."""
        if self._rows is None:
            self._rows = self._visible()
        return self._rows

    def row(self, node: int) -> int:
        """Returns the place of a node among the rows; -1 if it cannot be seen."""
        place = int(np.searchsorted(self.rows, node))
        there = place < len(self.rows) and self.rows[place] == node
        return place if there else -1

    def is_open(self, node: int) -> bool:
        """Tells whether what is below a node is seen."""
        return bool(self._opened[node])

    def has_children(self, node: int) -> bool:
        """Tells whether anything is below a node, or was found there."""
        if self._found is None:
            return bool(self.children[node])
        return bool(self._found[node + 1 : self.end[node]].any())

    def open(self, node: int, *, is_open: bool = True) -> None:
        """Opens a node, or closes it."""
        if self._opened[node] != is_open:
            self._opened[node] = is_open
            self._rows = None

    def open_all(self, *, are_open: bool = True) -> None:
        """Opens every node, or closes all but the world."""
        self._opened[:] = are_open
        self._opened[0] = True
        self._rows = None

    def reveal(self, node: int) -> None:
        """Opens what is above a node; ends a search that hides it."""
        if self._found is not None and not self._found[node]:
            self.search("")
        for above in self.above(node):
            self.open(above)

    def above(self, node: int) -> Iterator[int]:
        """Yields the nodes above one, the nearest first."""
        while (node := int(self.parent[node])) >= 0:
            yield node

    def opened(self) -> list[tuple[int, str]]:
        """Returns what is open: kinds and titles, which outlive an edit."""
        found = []
        for node in np.flatnonzero(self._open).tolist():
            element = self.element(node)
            is_head = element.id == HEAD
            found.append((element.obj, "" if is_head else self.title(node)))
        return found

    def reopen(self, opened: Iterable[tuple[int, str]]) -> None:
        """Opens what `opened` of another model's tree returned and is here, too."""
        heads = np.flatnonzero(self._ids == HEAD)
        for obj, title in opened:
            if not title:
                self._open[heads[self._objs[heads] == obj]] = True
            elif (body := mujoco.mj_name2id(self.model, obj, title)) >= 0:
                self._open[self.node(Element(obj, body))] = True
        self._rows = None

    @property
    def _opened(self) -> Bools:
        return self._open if self._found is None else self._open_found

    def _visible(self) -> Ints:
        closed = np.flatnonzero(~self._opened & (self.children > 0))
        # Each closed node hides the range below it.
        hiding = np.zeros(len(self) + 1, np.intp)
        hiding[closed + 1] += 1
        np.subtract.at(hiding, self.end[closed], 1)
        seen = np.cumsum(hiding[:-1]) == 0
        if self._found is not None:
            seen &= self._found
        return np.flatnonzero(seen)

    # -- search ----------------------------------------------------------------

    @property
    def query(self) -> str:
        """What is searched for; "" when nothing is."""
        return self._query

    def search(self, query: str) -> None:
        """Leaves what matches, with what is above it.

        Args:
            query: Words that a name must have in it, all of them; "type:geom" leaves
                one kind, several of these each of them; "id:3" leaves that number.
                Empty: everything is there again.
        """
        if query == self._query:
            return
        self._query, self._rows = query, None
        wanted = query.lower().split()
        if not wanted:
            self._found = None
            return
        matches = self._matches(wanted)
        counts = np.concatenate([[0], np.cumsum(matches)])
        # A node stays if it, or anything below it, matches.
        self._found = counts[self.end] > counts[:-1]
        self._open_found = np.ones(len(self), np.bool_)

    def _matches(self, wanted: list[str]) -> Bools:
        matches = self._ids != HEAD
        kinds = [word.removeprefix("type:") for word in wanted if word[:5] == "type:"]
        if kinds:
            objs = [obj for obj, kind in KINDS.items() if _is_called(kind, kinds)]
            matches &= np.isin(self._objs, objs)
        for word in wanted:
            if word.startswith("id:"):
                number = word.removeprefix("id:")
                matches &= self._ids == (int(number) if number.isdecimal() else -2)
            elif not word.startswith("type:"):
                names = self._lower_titles()
                matches &= np.fromiter((word in n for n in names), bool, len(names))
        return matches

    def _lower_titles(self) -> list[str]:
        """Returns all titles for the search, in lower case."""
        if not self._titles:
            titles = np.full(len(self), "", object)
            for obj, nodes in self._nodes.items():
                titles[nodes] = elements.titles(self.model, obj)
            self._titles = [title.lower() for title in titles.tolist()]
        return self._titles


def _is_called(kind: elements.Kind, begins: list[str]) -> bool:
    """Tells whether a kind's word or title begins with one of some words."""
    names = (kind.word.lower(), kind.title.lower(), kind.prefix)
    return any(name.startswith(begin) for begin in begins for name in names)


def _bodies(model: mujoco.MjModel) -> _Nodes:
    """Returns the nodes of the body tree.

    MuJoCo numbers a body after the one that it is in, so one turn through the
    numbers lays out all, whatever the order of the rest.
    """
    owners = [getattr(model, kind.bodies) for kind in OF_BODIES]
    owner = np.concatenate([*owners, []]).astype(np.intp)
    kinds = np.repeat([kind.obj for kind in OF_BODIES], [len(o) for o in owners])
    numbers = np.concatenate([np.arange(len(o)) for o in owners]).astype(np.intp)
    owned = np.bincount(owner, minlength=model.nbody)
    above = model.body_parentid.tolist()
    sizes = (owned + 1).tolist()
    for body in range(model.nbody - 1, 0, -1):
        sizes[above[body]] += sizes[body]
    start = [0] * model.nbody
    free = owned.tolist()
    free[0] += 1
    for body in range(1, model.nbody):
        start[body] = free[above[body]]
        free[above[body]] += sizes[body]
        free[body] += start[body] + 1
    first = np.array(start, np.intp)

    order = np.argsort(owner, kind="stable")
    before = np.cumsum(owned) - owned
    ranks = np.arange(len(order)) - before[owner[order]]
    places = np.empty(len(order), np.intp)
    places[order] = first[owner[order]] + 1 + ranks

    total = sizes[0]
    objs, ids, parents = (np.full(total, -1, np.intp) for _ in range(3))
    end = np.arange(1, total + 1)
    objs[first], ids[first] = BODY.obj, np.arange(model.nbody)
    parents[first[1:]] = first[model.body_parentid[1:]]
    end[first] = first + np.array(sizes)
    objs[places], ids[places], parents[places] = kinds, numbers, first[owner]
    return _Nodes(objs, ids, parents, end)


def _groups(model: mujoco.MjModel) -> _Nodes:
    """Returns the nodes of the groups, counted from 0."""
    none = np.empty(0, np.intp)
    parts = [_Nodes(none, none, none, none)]
    start = 0
    for kind in GROUPS:
        if not (count := elements.count(model, kind.obj)):
            continue
        end = start + 1 + count
        parts.append(
            _Nodes(
                np.full(count + 1, kind.obj),
                np.arange(HEAD, count),
                np.r_[-1, np.full(count, start)],
                np.r_[end, np.arange(start + 2, end + 1)],
            )
        )
        start = end
    return _Nodes(*map(np.concatenate, zip(*parts, strict=True)))


def _depths(parent: Ints) -> Ints:
    """Returns how many nodes are above each; a node comes after the one above."""
    depths = [0] * len(parent)
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            depths[node] = depths[above] + 1
    return np.array(depths, np.intp)
