"""Channels between the two threads that wake the one they lead to.

Studio's thread channels are polled; ours let a thread sleep until there is
something to do, which is what keeps a paused session at rest.
"""

import threading

from mujoco.studio import endpoints, launch_thread, messages


class WakingEvents(launch_thread.ThreadEventChannel):
    """An event queue that sets an event of its reader's."""

    def __init__(self, wake: threading.Event) -> None:
        """Wakes `wake` on each event."""
        super().__init__()
        self._wake = wake

    def put(self, event: messages.Event) -> None:
        """Appends an event; any thread."""
        super().put(event)
        self._wake.set()


class WakingSnapshots(launch_thread.ThreadSnapshotChannel):
    """A latest-wins slot for each type that sets an event of its reader's."""

    def __init__(
        self, wake: threading.Event, quiet: tuple[type[messages.Snapshot], ...] = ()
    ) -> None:
        """Wakes `wake` on each snapshot but those of the types in `quiet`."""
        super().__init__()
        self._wake = wake
        self._quiet = quiet

    def put(self, snapshot: messages.Snapshot) -> None:
        """Overwrites the snapshot of the same type; any thread."""
        super().put(snapshot)
        if not isinstance(snapshot, self._quiet):
            self._wake.set()


class Discarding(messages.SnapshotChannel, messages.EventChannel):
    """Leads nowhere: the viewer's side of a session without a view."""

    def put(self, value: messages.Message) -> None:
        """Forgets the message."""

    def get(self) -> list:
        """Returns nothing."""
        return []

    def close(self) -> None:
        """Has nothing to free."""


def connect(
    sim_wake: threading.Event, viewer_wake: threading.Event | None
) -> tuple[endpoints.ViewerEndpoint, endpoints.SimEndpoint]:
    """Returns connected endpoints.

    Args:
        sim_wake: Set by messages to the sim.
        viewer_wake: Set by messages to the viewer; None when there is none.
            Studio's sim sends a StateSnapshot every turn, which alone does not
            wake the viewer: it asks for its frames.
    """
    quiet = (messages.StateSnapshot,)
    return endpoints.make_endpoints(
        s2v_snapshot=WakingSnapshots(viewer_wake, quiet)
        if viewer_wake
        else Discarding(),
        s2v_events=WakingEvents(viewer_wake) if viewer_wake else Discarding(),
        v2s_events=WakingEvents(sim_wake),
        v2s_snapshot=WakingSnapshots(sim_wake),
    )
