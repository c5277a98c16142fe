"""Flow control of one stream of frames: sequence numbers, acks, what to do next.

Owned by the viewer thread; a pure state machine that is told the time. The
contract: a frame builds on the one before it; several times a second the page
acknowledges the last frame drawn, and says how many it draws a second; frames
are sent a little faster than that, and at most `limit` are unacknowledged, so
that a slow page or line gets fewer frames, not older ones; a page that stopped
answering gets none; a page that lost one asks for, and gets, a full frame.
"""

import collections
import math

MIN_IN_FLIGHT = 3
MAX_IN_FLIGHT = 16

# The page waits about this long to acknowledge several frames at once.
_ACK_SEC = 0.2
# The most and the fewest frames a second; displays rarely show more, and a page
# that drew fewer had perhaps no more to draw.
_MAX_FPS, _MIN_FPS = 60.0, 15.0
# How much faster than the page draws frames are sent, to find out whether it
# could draw more.
_PROBE, _PROBE_FPS = 1.15, 2.0

# After so long without an ack frames were lost, or nobody is there.
STALL_SEC = 2.0

_SAMPLES = 30


class Flow:
    """The sender's side.

    Attributes:
        seq: Number of the last frame sent; 0 before the first.
        need_full: Whether the next frame must stand alone.
        stalled: Whether the page has stopped answering.
    """

    def __init__(self) -> None:
        """Starts with a full frame to send."""
        self.seq = 0
        self.need_full = True
        self.stalled = False
        self._in_flight: collections.deque[tuple[int, float]] = collections.deque()
        self._round_trips: collections.deque[float] = collections.deque(maxlen=_SAMPLES)
        self._drawn_fps = _MAX_FPS / 2

    @property
    def fps(self) -> float:
        """How many frames a second to send at the most."""
        return min(_MAX_FPS, max(_MIN_FPS, _PROBE * self._drawn_fps + _PROBE_FPS))

    @property
    def limit(self) -> int:
        """How many frames may be unacknowledged, by rate and round trip."""
        trip = min(self._round_trips, default=0.0) + _ACK_SEC
        return max(MIN_IN_FLIGHT, min(MAX_IN_FLIGHT, math.ceil(self.fps * trip) + 1))

    def draws(self, fps: float) -> None:
        """Notes how many frames a second the page says that it draws."""
        self._drawn_fps = fps

    @property
    def round_trip(self) -> float:
        """Median seconds from sending to drawn; 0 before the first ack."""
        trips = sorted(self._round_trips)
        return trips[len(trips) // 2] if trips else 0.0

    def can_send(self, now: float) -> bool:
        """Tells whether a frame may be sent at time `now` (seconds, monotonic)."""
        if self.stalled:
            return False
        if self._in_flight and now - self._in_flight[0][1] > STALL_SEC:
            self.stalled = True
            return False
        return len(self._in_flight) < self.limit

    def sent(self, now: float) -> tuple[int, int | None]:
        """Notes a frame sent at `now`.

        Returns:
            Its `seq` and its `base` (None for a full one), for the head.
        """
        base = None if self.need_full else self.seq
        self.need_full = False
        self.seq += 1
        self._in_flight.append((self.seq, now))
        return self.seq, base

    def acked(self, seq: int, now: float) -> None:
        """Notes that the page has drawn frame `seq`, and so all before it."""
        while self._in_flight and self._in_flight[0][0] <= seq:
            number, at = self._in_flight.popleft()
            if number == seq:
                self._round_trips.append(now - at)

    def heard(self) -> None:
        """Notes that the page is there: a stall is over."""
        if self.stalled:
            self.restart()

    def restart(self) -> None:
        """Forgets what is in flight and starts over with a full frame."""
        self._in_flight.clear()
        self.need_full = True
        self.stalled = False
