"""What the cell draws: MjModel to description and assets, MjvScene to frames.

Used by the viewer thread only. Knows MuJoCo and the wire, no widget.
"""
