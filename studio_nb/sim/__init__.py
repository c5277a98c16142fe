"""The sim thread's side: the handle, stepping, history and frames for the viewer.

Everything here runs on the sim thread of one session. Knows MuJoCo and
`mujoco.studio`, no widget and no panel.
"""
