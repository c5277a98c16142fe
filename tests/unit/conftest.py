"""What the unit tests share: a small model, and a session that a page looks at."""

from collections.abc import Iterator

import pytest

from studio_nb.link import Link
from studio_nb.session import Session
from studio_nb.spec import sources
from tests.fakepage import FakePage

PENDULUM = """
<mujoco model="pendulum">
  <option timestep="0.002"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 .1" pos="0 0 -1"/>
    <body name="bob"><joint name="hinge" axis="0 1 0"/>
      <geom name="rod" type="capsule" fromto="0 0 0 .5 0 0" size=".03"/></body>
    <body name="free" pos="0 1 0"><freejoint name="root"/>
      <geom name="ball" size=".1"/></body>
  </worldbody>
  <actuator><motor name="drive" joint="hinge"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="up" qpos="1 0 1 0 1 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture
def viewed() -> Iterator[tuple[Session, FakePage]]:
    """A running pendulum, and the page that has not said that it is ready."""
    link = Link()
    page = FakePage(link)
    session = Session(sources.load(PENDULUM), link=link)
    yield session, page
    session.close()
