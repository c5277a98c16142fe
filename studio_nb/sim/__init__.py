"""The sim thread's side: the handle, stepping, history and frames for the viewer.

Its plugins run on the sim thread of one session; what they hand out says which thread
may have it. Knows MuJoCo and `mujoco.studio`, no widget and no panel.
"""
